// Arguments of the append script for a batch of events, and the parsing of its answer.
import type { Position } from '../../../ports/event-store.ts';
import type { NewEvent } from '../broker.ts';
import { fenceName, namesOf, unstoredName } from './names.ts';

/** Limit of events per stream; older durable ones are read from the store. */
const streamEvents = 4096;
/** Expiry in ms of a stream after its last event: a little more than the promised ten minutes for deltas. */
const streamMs = 11 * 60_000;
/** Expiry in ms of a topic's numbering after its last event: a week; then the topic starts another generation. */
export const metaMs = 7 * 86_400_000;

export interface Outgoing {
  event: NewEvent;
  /** Unique name of the event, by which a retry recognises the first attempt. */
  nonce: string;
}

export interface AppendCall {
  keys: string[];
  values: (string | number)[];
  /** Topics of the call, in the order of their indexes. */
  topics: string[];
}

/** Keys and arguments of the append script. All events must be of one tenant. */
export function appendCall(prefix: string, run: string, again: boolean, events: readonly Outgoing[]): AppendCall {
  const topics = new Indexes();
  const scopes = new Indexes();
  const rows: (string | number)[] = [];
  for (const { event, nonce } of events) {
    const { fence, type, at, durable, mergeKey, body } = event;
    const scope = fence ? scopes.of(fence.scope) : 0;
    const merge = mergeKey?.replaceAll('\n', ' ') ?? '';
    rows.push(
      nonce,
      scope,
      fence?.token ?? 0,
      fence?.order ?? 0,
      type,
      at,
      durable ? '1' : '0',
      merge,
      body,
      event.keys.length,
    );
    for (const key of event.keys) rows.push(topics.of(key));
  }
  const [first = ''] = topics.names;
  const names = topics.names.map((key) => namesOf(prefix, key));
  return {
    topics: topics.names,
    keys: [
      unstoredName(prefix, first),
      ...names.flatMap(({ meta, stream }) => [meta, stream]),
      ...scopes.names.map((scope) => fenceName(prefix, first, scope)),
    ],
    values: [
      run,
      again ? '1' : '0',
      'PUBLISH',
      streamEvents,
      streamMs,
      metaMs,
      names.length,
      ...names.flatMap(({ channel }, at) => [channel, topics.names[at] as string]),
      ...rows,
    ],
  };
}

/** Places of each event: null for a fenced one, empty for one published before. */
export function readPlaces(values: readonly string[], events: readonly Outgoing[]): (Position[] | null)[] {
  let at = 0;
  return events.map(({ event }) => {
    if (values[at] === 'F') {
      at++;
      return null;
    }
    if (values[at] === 'D') {
      at++;
      return [];
    }
    return event.keys.map(() => ({ gen: Number(values[at++]), seq: Number(values[at++]) }));
  });
}

/** Numbers names in order of appearance, from 1. */
class Indexes {
  readonly names: string[] = [];
  readonly #known = new Map<string, number>();

  of(name: string): number {
    const known = this.#known.get(name);
    if (known) return known;
    this.names.push(name);
    this.#known.set(name, this.names.length);
    return this.names.length;
  }
}
