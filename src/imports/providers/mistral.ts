// Mistral: a file for each chat, a list of its messages.
import { conversation, roleOf } from '../conversation.ts';
import { type Dict, firstText, idOf, isDict, listOf, textOf, timeOf, titleOf } from '../fields.ts';
import { createGathering, partId, titleOfPart } from '../gathering.ts';
import type { Format, Parsed, ParsedMessage } from '../shapes.ts';

const isOwn = (value: unknown): value is Dict =>
  isDict(value) &&
  typeof value.role === 'string' &&
  ('chatId' in value || 'createdAt' in value) &&
  ('content' in value || 'contentChunks' in value);

interface Own extends ParsedMessage {
  id: string | null;
  /** The answer in whose place this one was preferred. */
  over: string | null;
}

export const mistral: Format = {
  provider: 'Mistral',
  name: 'mistral-json',
  takes: ({ key, value }) => (key === null || key === 'messages') && isOwn(value),
  open: ({ name }) => {
    let about: Dict = {};
    const ofName = /chat-([0-9a-f-]{8,})/i.exec(name)?.[1] ?? name;
    const chats = createGathering(function* ({ sourceId, messages, part }): Generator<Parsed> {
      const sorted = inTime(messages as readonly Own[]);
      const asked = sorted.find(({ role }) => role === 'user')?.content.split('\n')[0];
      const title = titleOf(about.title ?? about.name ?? asked?.slice(0, 80)) ?? 'Chat';
      const left = new Set(sorted.map(({ over }) => over).filter(Boolean));
      const [kept, others] = [sorted.filter(({ id }) => !left.has(id)), sorted.filter(({ id }) => left.has(id))];
      yield* conversation({ sourceId: partId(sourceId, part), title: titleOfPart(title, part) }, kept.map(plain));
      if (others.length > 0)
        yield* conversation(
          { sourceId: `${partId(sourceId, part)}#others`, title: `${title} (other answers)` },
          others.map(plain),
          false,
        );
    });
    return {
      *read({ key, value }) {
        if (key === '$' && isDict(value)) about = value;
        if (isOwn(value)) yield* chats.add(idOf(value.chatId) ?? ofName, messageOf(value));
      },
      end: () => chats.end(),
    };
  },
};

const messageOf = (value: Dict): Own => ({
  role: roleOf(value.role),
  content: [chunksOf(value) || textOf(value.content), ...canvasesOf(value), ...filesOf(value)]
    .filter(Boolean)
    .join('\n'),
  modelId: textOf(value.model),
  sentAt: timeOf(value.createdAt),
  id: idOf(value.id),
  over: idOf(value.preferenceOver),
});

const plain = ({ id: _, over: __, ...message }: Own): ParsedMessage => message;

const inTime = (messages: readonly Own[]): readonly Own[] =>
  messages.every(({ sentAt }) => sentAt)
    ? messages.toSorted((a, b) => (a.sentAt as Date).getTime() - (b.sentAt as Date).getTime())
    : messages;

/** Pieces of a text follow each other as they are; a tool's call has a line of its own. */
const chunksOf = (value: Dict): string =>
  [...listOf(value.contentChunks), ...listOf(value.content)]
    .filter(isDict)
    .map((chunk) =>
      chunk.type === 'tool_call'
        ? `\n[call of ${textOf(chunk.name) ?? 'a tool'}] ${textOf(chunk.publicArguments)?.slice(0, 2000) ?? ''}\n`
        : (firstText(chunk, 'text', 'content') ?? ''),
    )
    .join('')
    .replaceAll(/\n{2,}(?=\[call of )/g, '\n')
    .trim();

const canvasesOf = (value: Dict): string[] =>
  listOf(value.canvas)
    .filter(isDict)
    .map((canvas) => [`[canvas ${textOf(canvas.title) ?? ''}]`, textOf(canvas.content)].filter(Boolean).join('\n'));

const filesOf = (value: Dict): string[] =>
  listOf(value.files)
    .filter(isDict)
    .map((file) => `[file ${firstText(file, 'name', 'file_name') ?? ''}]`);
