// Claude: conversations, projects with their documents, and what the model remembers.
import { conversationTree, roleOf, type TreeNode } from '../conversation.ts';
import { type Dict, firstText, idOf, isDict, listOf, textOf, timeOf, titleOf } from '../fields.ts';
import { sectionsOf } from '../sections.ts';
import { type Format, type Parsed, type ParsedItem, type ParsedMessage, ReadMessage } from '../shapes.ts';

const name = 'claude-json';

const isChat = (value: Dict) => Array.isArray(value.chat_messages);
const isProject = (value: Dict) => 'uuid' in value && ('docs' in value || 'prompt_template' in value);
const isMemories = (value: Dict) => 'conversations_memory' in value || 'project_memories' in value;

export const claude: Format = {
  provider: 'Claude',
  name,
  takes: ({ value }) => isDict(value) && (isChat(value) || isProject(value) || isMemories(value)),
  messages: { list: 'chat_messages', read: (value) => ('sender' in value ? readChatMessage(value) : null) },
  open: () => ({
    *read({ value }) {
      if (!isDict(value)) return;
      if (isChat(value)) yield* chatOf(value);
      else if (isProject(value)) yield* projectOf(value);
      else if (isMemories(value)) yield* memoriesOf(value);
    },
  }),
};

function* chatOf(value: Dict): Generator<Parsed> {
  const messages = listOf(value.chat_messages).flatMap((one) =>
    one instanceof ReadMessage ? one : isDict(one) ? readChatMessage(one) : [],
  );
  let before: string | null = null;
  const nodes = messages.map((one, index): TreeNode => {
    const id = one.id ?? `message-${index}`;
    // Older exports have no parents: each message follows the one before it.
    const parentId = one.parentId ?? before;
    before = id;
    return { id, parentId, message: one.message };
  });
  const about = {
    sourceId: idOf(value.uuid) ?? String(value.created_at ?? ''),
    title: titleOf(value.name),
    startedAt: timeOf(value.created_at),
    endedAt: timeOf(value.updated_at),
  };
  yield* conversationTree(about, nodes, idOf(value.current_leaf_message_uuid));
}

const readChatMessage = (value: Dict) =>
  new ReadMessage(name, {
    id: idOf(value.uuid),
    parentId: idOf(value.parent_message_uuid),
    message: messageOf(value),
  });

function messageOf(message: Dict): ParsedMessage {
  const blocks = listOf(message.content).filter(isDict).map(blockOf).filter(Boolean);
  const text = blocks.length > 0 ? blocks.join('\n') : (textOf(message.text) ?? '');
  const attached = listOf(message.attachments).filter(isDict).map(attachmentOf);
  const files = listOf(message.files)
    .filter(isDict)
    .map(({ file_name }) => `[file ${textOf(file_name) ?? ''}]`);
  return {
    role: roleOf(message.sender),
    content: [text, ...attached, ...files].filter(Boolean).join('\n'),
    modelId: textOf(message.model),
    sentAt: timeOf(message.created_at),
  };
}

function blockOf(block: Dict): string {
  switch (block.type) {
    case 'text':
      return textOf(block.text) ?? '';
    case 'tool_use':
      return `[call of ${textOf(block.name) ?? 'a tool'}] ${JSON.stringify(block.input ?? {}).slice(0, 2000)}`;
    case 'tool_result':
      return `[result] ${resultOf(block.content)}`;
    default:
      return '';
  }
}

const resultOf = (content: unknown): string =>
  (
    textOf(content) ??
    listOf(content)
      .filter(isDict)
      .flatMap(({ text }) => textOf(text) ?? [])
      .join('\n')
  ).slice(0, 20_000);

const attachmentOf = (attachment: Dict): string =>
  [`[file ${textOf(attachment.file_name) ?? ''}]`, textOf(attachment.extracted_content)].filter(Boolean).join('\n');

const item = (fields: Pick<ParsedItem, 'title' | 'content' | 'category'>): ParsedItem => ({
  kind: 'Memory',
  key: null,
  importance: 6,
  confidence: 1,
  ...fields,
});

function* projectOf(value: Dict): Generator<Parsed> {
  const name = titleOf(value.name) ?? 'Project';
  const about = [textOf(value.description), textOf(value.prompt_template)].filter(Boolean).join('\n\n');
  if (about) yield item({ title: name, content: about, category: 'project' });
  for (const doc of listOf(value.docs).filter(isDict)) {
    const content = firstText(doc, 'content', 'text');
    const title = titleOf(`${name}: ${firstText(doc, 'filename', 'file_name') ?? 'document'}`);
    if (content) yield item({ title, content, category: 'project document' });
    else yield { kind: 'skipped', reason: 'documents without a text', where: title ?? name };
  }
  if (!about && listOf(value.docs).length === 0)
    yield { kind: 'skipped', reason: 'projects that say nothing', where: name };
}

function* memoriesOf(value: Dict): Generator<Parsed> {
  const own = textOf(value.conversations_memory);
  if (own) for (const part of sectionsOf(own, 'What Claude remembers')) yield item({ ...part, category: 'memory' });
  const byProject = isDict(value.project_memories)
    ? Object.values(value.project_memories)
    : listOf(value.project_memories);
  for (const one of byProject) {
    const text = textOf(one) ?? (isDict(one) ? firstText(one, 'memory', 'content', 'text') : null);
    if (text)
      for (const part of sectionsOf(text, 'A project, as Claude remembers it'))
        yield item({ ...part, category: 'project memory' });
  }
}
