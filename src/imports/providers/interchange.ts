// The interchange schema of conversations: details, identifiers, and messages with their senders.
import { conversation } from '../conversation.ts';
import { type Dict, dictOf, idOf, isDict, listOf, textOf, timeOf, titleOf } from '../fields.ts';
import { limits } from '../limits.ts';
import type { Format, Parsed, ParsedMessage } from '../shapes.ts';

const isMessage = (value: unknown): value is Dict =>
  isDict(value) && 'text' in value && 'sender' in value && 'sentAt' in value;
const isDocument = (value: unknown): value is Dict =>
  isDict(value) && isDict(value.details) && Array.isArray(value.identifiers);

interface Sent extends ParsedMessage {
  sender: string | null;
}

export const interchange: Format = {
  provider: 'Interchange',
  name: 'interchange-json',
  takes: ({ key, value }) =>
    key === 'messages' ? isMessage(value) : isDocument(value) && (key === '$' || Array.isArray(value.messages)),
  open: ({ name }) => {
    const messages: Sent[] = [];
    let about: Dict = {};
    let weight = 0;
    let left = 0;
    const take = (one: Dict) => {
      const content = textOf(one.text);
      const sender = idOf(dictOf(one.sender).identifier ?? one.sender);
      weight += (content?.length ?? 0) + 300;
      if (weight > limits.conversationLength) left++;
      else if (content) messages.push({ role: 'user', content, modelId: null, sentAt: timeOf(one.sentAt), sender });
    };
    const whole = function* (document: Dict, said: readonly Sent[], where: string): Generator<Parsed> {
      if (left > 0) yield { kind: 'skipped', reason: 'messages beyond what a conversation may have', where };
      [weight, left] = [0, 0];
      const details = dictOf(document.details);
      const people = listOf(document.identifiers).filter(isDict);
      const named = people
        .map(({ name: of }) => textOf(of) ?? '')
        .filter(Boolean)
        .join(', ');
      yield* conversation(
        {
          sourceId: idOf(details.id) ?? `${where} ${String(details.createdAt ?? '')}`.slice(0, 200),
          title: titleOf(details.title ?? (named && `With ${named}`)),
          startedAt: timeOf(details.startTime),
          endedAt: timeOf(details.endTime),
        },
        said.map((one) => ({
          ...one,
          role: one.sender?.toUpperCase() === 'AI' || isMachine(one.sender, people) ? 'assistant' : 'user',
        })),
      );
    };
    let number = 0;
    return {
      *read({ key, value }) {
        if (key === 'messages' && isMessage(value)) take(value);
        else if (key === '$' && isDict(value)) about = value;
        else if (isDocument(value)) {
          for (const one of listOf(value.messages)) if (isMessage(one)) take(one);
          yield* whole(value, messages.splice(0), `${name}#${++number}`);
        }
      },
      *end() {
        if (messages.length > 0) yield* whole(about, messages, name);
      },
    };
  },
};

const isMachine = (sender: string | null, people: readonly Dict[]): boolean =>
  people.some(
    ({ identifier, type }) => idOf(identifier) === sender && /\b(?:ai|model|bot|agent|assistant)\b/i.test(String(type)),
  );
