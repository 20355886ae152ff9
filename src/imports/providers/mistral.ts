// Mistral: a file for each chat, a list of its messages.
import { conversation, roleOf } from '../conversation.ts';
import { type Dict, firstText, idOf, isDict, listOf, textOf, timeOf, titleOf } from '../fields.ts';
import type { Format, ParsedMessage } from '../shapes.ts';

const isOwn = (value: unknown): value is Dict =>
  isDict(value) &&
  typeof value.role === 'string' &&
  ('chatId' in value || 'createdAt' in value) &&
  ('content' in value || 'contentChunks' in value);

export const mistral: Format = {
  provider: 'Mistral',
  name: 'mistral-json',
  takes: ({ key, value }) => (key === null || key === 'messages') && isOwn(value),
  open: ({ name }) => {
    const chats = new Map<string, ParsedMessage[]>();
    let about: Dict = {};
    const ofName = /chat-([0-9a-f-]{8,})/i.exec(name)?.[1] ?? name;
    return {
      read({ key, value }) {
        if (key === '$' && isDict(value)) about = value;
        if (!isOwn(value)) return [];
        const id = idOf(value.chatId) ?? ofName;
        const messages = chats.get(id) ?? [];
        chats.set(id, messages);
        const content = textOf(value.content) ?? chunksOf(value);
        const sentAt = timeOf(value.createdAt);
        if (content) messages.push({ role: roleOf(value.role), content, modelId: textOf(value.model), sentAt });
        return [];
      },
      *end() {
        for (const [sourceId, messages] of chats) {
          const inOrder = messages.every(({ sentAt }) => sentAt)
            ? messages.toSorted((a, b) => (a.sentAt as Date).getTime() - (b.sentAt as Date).getTime())
            : messages;
          const asked = inOrder
            .find(({ role }) => role === 'user')
            ?.content.split('\n')[0]
            ?.slice(0, 80);
          yield* conversation({ sourceId, title: titleOf(about.title ?? about.name ?? asked) }, inOrder);
        }
      },
    };
  },
};

const chunksOf = (value: Dict): string =>
  [...listOf(value.contentChunks), ...listOf(value.content)]
    .filter(isDict)
    .flatMap((chunk) => firstText(chunk, 'text', 'content') ?? [])
    .join('');
