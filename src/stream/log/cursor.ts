// Cursors: `<epoch>.<seq>` for one topic, and one opaque text for several.
import { Fault } from '../../kernel/fault.ts';
import type { Position } from '../../ports/event-store.ts';

/** Position in a client's cursor: a known place, the oldest kept, or a place of an unknown epoch. */
export type Cursor = Position | 'oldest' | { unknown: true; seq: number };

/** Epoch: the store's origin and the topic's generation in it. */
export const epochOf = (origin: string, gen: number): string => `${origin}-${gen.toString(36)}`;

const idForm = /^([0-9a-z-]{1,64})\.(\d{1,15})$/;

/**
 * Parses an event id of one topic.
 *
 * @throws Fault INVALID_CURSOR when it is not an id at all; an id of an unknown epoch is not an error
 */
export function parseCursor(text: string, origin: string): Cursor {
  if (text === '0') return 'oldest';
  const match = idForm.exec(text);
  if (!match) throw malformed(text);
  const [, epoch = '', digits = ''] = match;
  const seq = Number(digits);
  const dash = epoch.lastIndexOf('-');
  const gen = Number.parseInt(epoch.slice(dash + 1), 36);
  const known = dash > 0 && epoch.slice(0, dash) === origin && epochOf(origin, gen) === epoch && gen > 0;
  return known ? { gen, seq } : { unknown: true, seq };
}

/** One id for several topics; the order does not matter. */
export function formatComposite(parts: Iterable<readonly [topic: string, id: string]>): string {
  return Array.from(parts, ([topic, id]) => `${topic}=${id}`).join(',');
}

/**
 * Parses a connection's cursor into one id per topic. A plain id is allowed for a single topic.
 *
 * @throws Fault INVALID_CURSOR
 */
export function parseComposite(text: string, topics: readonly string[]): Map<string, string> {
  const ids = new Map<string, string>();
  if (text === '0') return new Map(topics.map((topic) => [topic, '0']));
  if (!text.includes('=')) {
    if (topics.length !== 1 || topics[0] === undefined) {
      throw new Fault('INVALID_CURSOR', 'This cursor is of one topic, but several were asked for.', {
        hint: 'Send the id of the last event of this connection unchanged, or `topic=id,topic=id`.',
      });
    }
    return ids.set(topics[0], text);
  }
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    const id = part.slice(at + 1);
    // Ids of topics that were not asked for are checked too: every part of a valid cursor is well formed.
    if (at < 1 || (id !== '0' && !idForm.test(id))) throw malformed(text);
    ids.set(part.slice(0, at), id);
  }
  return ids;
}

function malformed(text: string): Fault {
  return new Fault('INVALID_CURSOR', `"${text.slice(0, 80)}" is not an event id.`, {
    hint: 'Send the id of the last event you got, `<epoch>.<seq>`, or leave it out to start with live events.',
  });
}
