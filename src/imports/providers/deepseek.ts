// DeepSeek: trees like those of ChatGPT, whose messages are made of fragments. The interface has no name for this
// provider, so its archives say `Unknown` with their format.
import { conversationTree, type TreeNode } from '../conversation.ts';
import { type Dict, dictOf, firstText, idOf, isDict, listOf, textOf, timeOf, titleOf } from '../fields.ts';
import type { Format, ParsedMessage } from '../shapes.ts';

const isOwn = (value: unknown): value is Dict =>
  isDict(value) &&
  isDict(value.mapping) &&
  (('inserted_at' in value && !('create_time' in value)) ||
    Object.values(value.mapping).some((node) => Array.isArray(dictOf(dictOf(node).message).fragments)));

export const deepSeek: Format = {
  provider: 'Unknown',
  name: 'deepseek-json',
  takes: ({ value }) => isOwn(value),
  open: () => ({
    *read({ value }) {
      if (!isOwn(value)) return;
      const nodes = Object.entries(value.mapping as Dict).flatMap(([id, node]): TreeNode[] =>
        isDict(node) ? [{ id, parentId: idOf(node.parent), message: messageOf(node.message) }] : [],
      );
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

/** What was thought and looked up is no part of the answer. */
const silent = new Set(['THINK', 'SEARCH', 'READ_LINK']);

function messageOf(message: unknown): ParsedMessage | null {
  if (!isDict(message)) return null;
  const fragments = listOf(message.fragments).filter(isDict);
  const said = fragments.filter(({ type }) => !silent.has(String(type)));
  const content = said.flatMap(({ content }) => textOf(content) ?? []).join('\n') || firstText(message, 'content');
  if (!content) return null;
  const isAsked = fragments.some(({ type }) => type === 'REQUEST') || message.role === 'USER';
  return {
    role: isAsked ? 'user' : 'assistant',
    content,
    modelId: textOf(message.model),
    sentAt: timeOf(message.inserted_at),
  };
}
