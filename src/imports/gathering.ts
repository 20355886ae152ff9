// Gathers messages that come one by one into conversations, however they are mixed. What is too much to be held goes on
// in a further part.
import { conversation } from './conversation.ts';
import { limits } from './limits.ts';
import type { Parsed, ParsedMessage } from './shapes.ts';

export interface Gathered {
  sourceId: string;
  messages: readonly ParsedMessage[];
  /** From 2 on where the conversation was too long for one. */
  part: number;
}

/** Bytes that a message takes besides its text, about. */
const besides = 300;

/** @param make - says what was gathered of one conversation */
export function createGathering(make: (gathered: Gathered) => Iterable<Parsed> = plain) {
  let chats = new Map<string, ParsedMessage[]>();
  const parts = new Map<string, number>();
  let weight = 0;
  function* all(): Generator<Parsed> {
    const gathered = chats;
    [chats, weight] = [new Map(), 0];
    for (const [sourceId, messages] of gathered) yield* make({ sourceId, messages, part: parts.get(sourceId) ?? 1 });
  }
  return {
    *add(sourceId: string, message: ParsedMessage | null): Generator<Parsed> {
      const messages = chats.get(sourceId) ?? [];
      chats.set(sourceId, messages);
      if (!message?.content.trim()) return;
      messages.push(message);
      weight += message.content.length + besides;
      if (weight <= limits.conversationLength) return;
      const open = [...chats.keys()];
      yield* all();
      for (const id of open) parts.set(id, (parts.get(id) ?? 1) + 1);
    },
    end: () => all(),
  };
}

function* plain({ sourceId, messages, part }: Gathered): Generator<Parsed> {
  yield* conversation({ sourceId: partId(sourceId, part), title: titleOfPart(sourceId, part) }, messages);
}

export const partId = (sourceId: string, part: number): string => (part > 1 ? `${sourceId}#part-${part}` : sourceId);
export const titleOfPart = (title: string, part: number): string =>
  (part > 1 ? `${title.slice(0, limits.titleLength - 20)} (part ${part})` : title).slice(0, limits.titleLength);
