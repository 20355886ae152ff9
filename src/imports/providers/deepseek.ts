// DeepSeek: trees like those of ChatGPT, whose messages are made of fragments. The interface has no name for this
// provider, so its archives say `Unknown` with their format.
import { conversationTree, type TreeNode } from '../conversation.ts';
import { type Dict, dictOf, firstText, idOf, isDict, listOf, textOf, timeOf, titleOf } from '../fields.ts';
import { type Format, type ParsedMessage, ReadMessage } from '../shapes.ts';

const name = 'deepseek-json';

const isOwn = (value: unknown): value is Dict =>
  isDict(value) &&
  isDict(value.mapping) &&
  (('inserted_at' in value && !('create_time' in value)) ||
    Object.values(value.mapping).some((node) =>
      node instanceof ReadMessage ? node.format === name : hasFragments(dictOf(node)),
    ));

const hasFragments = (node: Dict): boolean => Array.isArray(dictOf(node.message).fragments);

export const deepSeek: Format = {
  provider: 'Unknown',
  name,
  takes: ({ value }) => isOwn(value),
  messages: { list: 'mapping', read: (node) => (hasFragments(node) ? readNode(node) : null) },
  open: () => ({
    *read({ value }) {
      if (!isOwn(value)) return;
      const nodes = Object.entries(value.mapping as Dict).flatMap(([id, node]): TreeNode[] => {
        const { parentId, message } = node instanceof ReadMessage ? node : readNode(dictOf(node));
        return isDict(node) ? [{ id, parentId, message }] : [];
      });
      const about = {
        sourceId: idOf(value.id) ?? String(value.inserted_at ?? ''),
        title: titleOf(value.title),
        startedAt: timeOf(value.inserted_at),
        endedAt: timeOf(value.updated_at),
      };
      yield* conversationTree(about, nodes, idOf(value.current_message_id));
    },
  }),
};

const readNode = ({ parent, message }: Dict) =>
  new ReadMessage(name, { id: null, parentId: idOf(parent), message: messageOf(message) });

/** What was thought and looked up, and the advice below an answer, is no part of it. */
const silent = new Set(['THINK', 'SEARCH', 'READ_LINK', 'TIP', 'TOOL_SEARCH', 'TOOL_OPEN']);

function messageOf(message: unknown): ParsedMessage | null {
  if (!isDict(message)) return null;
  const fragments = listOf(message.fragments).filter(isDict);
  const said = fragments.filter(({ type }) => !silent.has(String(type)));
  const text = said.flatMap(({ content }) => textOf(content) ?? []).join('\n') || firstText(message, 'content');
  const files = listOf(message.files)
    .filter(isDict)
    .map((file) => `[file ${firstText(file, 'file_name', 'name') ?? ''}]`);
  const content = [text, ...files].filter(Boolean).join('\n');
  if (!content) return null;
  const isAsked = fragments.some(({ type }) => type === 'REQUEST') || message.role === 'USER';
  return {
    role: isAsked ? 'user' : 'assistant',
    content,
    modelId: textOf(message.model),
    sentAt: timeOf(message.inserted_at),
  };
}
