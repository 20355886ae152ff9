// ChatGPT: conversations as trees of messages, in one file or in shards.
import { conversationTree, roleOf, type TreeNode } from '../conversation.ts';
import { type Dict, dictOf, firstText, idOf, isDict, listOf, textOf, timeOf, titleOf } from '../fields.ts';
import { type Format, type ParsedItem, type ParsedMessage, ReadMessage } from '../shapes.ts';

const name = 'chatgpt-json';
/** Different texts about the person that are told apart. */
const mostTold = 200;

const isOwn = (value: unknown): value is Dict =>
  isDict(value) &&
  isDict(value.mapping) &&
  ('current_node' in value || 'conversation_id' in value || 'create_time' in value || 'title' in value);

export const chatGpt: Format = {
  provider: 'ChatGpt',
  name,
  takes: ({ value }) => isOwn(value),
  messages: {
    list: 'mapping',
    read: (node) => {
      const { author, content } = dictOf(node.message);
      return isDict(author) && isDict(content) ? readNode(node) : null;
    },
  },
  open: () => {
    // Each conversation repeats what the person has told of themselves.
    const told = new Set<string>();
    return {
      *read({ value }) {
        if (!isOwn(value)) return;
        const nodes: TreeNode[] = [];
        for (const [id, node] of Object.entries(value.mapping as Dict)) {
          if (!isDict(node)) continue;
          const { parentId, message, items } = node instanceof ReadMessage ? node : readNode(node);
          for (const item of items) {
            if (told.has(item.content)) continue;
            if (told.size < mostTold) yield item;
            else yield { kind: 'skipped', reason: 'instructions beyond those that can be told apart', where: id };
            if (told.size < mostTold) told.add(item.content);
          }
          nodes.push({ id, parentId, message });
        }
        const about = {
          sourceId: firstText(value, 'conversation_id', 'id') ?? `untitled-${String(value.create_time ?? '')}`,
          title: titleOf(value.title),
          startedAt: timeOf(value.create_time),
          endedAt: timeOf(value.update_time),
        };
        yield* conversationTree(about, nodes, idOf(value.current_node));
      },
    };
  },
};

const readNode = (node: Dict) =>
  new ReadMessage(name, {
    id: null,
    parentId: idOf(node.parent),
    message: messageOf(node.message),
    items: aboutPerson(node),
  });

function messageOf(message: unknown): ParsedMessage | null {
  if (!isDict(message)) return null;
  const [author, metadata] = [dictOf(message.author), dictOf(message.metadata)];
  const role = roleOf(author.role);
  if (role === 'system' || metadata.is_visually_hidden_from_conversation === true) return null;
  const content = contentOf(dictOf(message.content));
  if (!content) return null;
  const recipient = textOf(message.recipient);
  const call = role === 'assistant' && recipient && recipient !== 'all' ? `[call of ${recipient}]\n` : '';
  return { role, content: call + content, modelId: textOf(metadata.model_slug), sentAt: timeOf(message.create_time) };
}

/** Kinds of content that are no part of what was said. */
const silent = new Set(['user_editable_context', 'model_editable_context', 'thoughts', 'reasoning_recap']);

function contentOf(content: Dict): string {
  const type = textOf(content.content_type) ?? 'text';
  if (silent.has(type)) return '';
  if (type === 'code') return `\`\`\`${codeLanguage(content)}\n${textOf(content.text) ?? ''}\n\`\`\``;
  const parts = listOf(content.parts).map(partOf).filter(Boolean);
  const rest = firstText(content, 'text', 'result', 'content');
  return [...parts, ...(rest ? [rest] : [])].join('\n');
}

const codeLanguage = ({ language }: Dict) => (textOf(language) === 'unknown' ? '' : (textOf(language) ?? ''));

function partOf(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isDict(part)) return '';
  const type = textOf(part.content_type) ?? '';
  if (type.startsWith('image')) return '[image]';
  if (type === 'audio_transcription') return textOf(part.text) ?? '';
  if (type.includes('audio') || type.includes('video')) return '';
  return firstText(part, 'text', 'content') ?? '';
}

/** What the person has told the model of themselves, and how it shall answer. */
function aboutPerson(node: Dict): ParsedItem[] {
  const content = dictOf(dictOf(node.message).content);
  if (content.content_type !== 'user_editable_context') return [];
  const texts = [
    ['About me', textOf(content.user_profile)],
    ['How to answer me', textOf(content.user_instructions)],
  ] as const;
  return texts.flatMap(([title, text]) =>
    text
      ? [
          {
            kind: 'Memory',
            key: null,
            title,
            content: text.slice(0, 60_000),
            category: 'profile',
            importance: 8,
            confidence: 1,
          },
        ]
      : [],
  );
}
