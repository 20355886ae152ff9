// Event store in memory, for tests and benchmarks; a restart is simulated by keeping the store.
import { randomBytes } from 'node:crypto';
import { Fault } from '../../kernel/fault.ts';
import type { EventStore, NewStoredEvent, Position, StoredEvent, TopicRecord } from '../../ports/event-store.ts';

interface Topic {
  record: TopicRecord | null;
  events: StoredEvent[];
}

/** An event store without a disk. */
export function createMemoryEventStore(): EventStore {
  const origin = randomBytes(5).toString('hex').slice(0, 8);
  const topics = new Map<string, Topic>();
  const topicOf = (key: string): Topic => {
    const known = topics.get(key);
    if (known) return known;
    const made: Topic = { record: null, events: [] };
    topics.set(key, made);
    return made;
  };
  return {
    origin: async () => origin,
    topic: async (key) => topics.get(key)?.record ?? null,
    advance: async (key) => {
      const topic = topicOf(key);
      const gen = Math.max(topic.record?.gen ?? 0, topic.events.at(-1)?.gen ?? 0) + 1;
      topic.record = { key, gen, head: 0, dirty: true };
      return gen;
    },
    append: async (events, records) => {
      for (const event of events.flatMap(eachPlace)) insert(topicOf(event.key).events, event);
      for (const record of records) topicOf(record.key).record = { ...record };
    },
    read: async (key, after, limit) => {
      const events = topics.get(key)?.events ?? [];
      const from = events.findIndex((event) => follows(event, after));
      return from < 0 ? [] : events.slice(from, from + limit);
    },
    tail: async (key, limit) => topics.get(key)?.events.slice(-limit) ?? [],
    trim: async (before, prefix = '') => {
      let dropped = 0;
      for (const [key, topic] of topics) {
        if (!key.startsWith(prefix)) continue;
        const last = topic.events.at(-1);
        const kept = topic.events.filter((event) => event.at >= before);
        dropped += topic.events.length - kept.length;
        topic.events = kept;
        if (last && kept.length === 0) topic.record = numbering(key, topic.record, last);
      }
      return dropped;
    },
  };
}

/** An event once per topic. */
export const eachPlace = ({ also = [], ...event }: NewStoredEvent): StoredEvent[] => [
  event,
  ...also.map((place) => ({ ...event, ...place })),
];

/** Inserts an event in order: nodes may write in another order than the numbers. */
function insert(events: StoredEvent[], event: StoredEvent): void {
  let at = events.length;
  while (at > 0 && !follows(event, events[at - 1] as StoredEvent)) at--;
  const there = events[at];
  if (there?.gen === event.gen && there.seq === event.seq) throw new Fault('DUPLICATE', 'This event is kept already.');
  events.splice(at, 0, event);
}

/** Whether a position lies after another. */
export const follows = (position: Position, after: Position): boolean =>
  position.gen > after.gen || (position.gen === after.gen && position.seq > after.seq);

/** Record of a topic whose last events are deleted: it must still know their numbers. */
export function numbering(key: string, record: TopicRecord | null, last: Position): TopicRecord {
  if (record && !follows(last, { gen: record.gen, seq: record.head })) return record;
  return { key, gen: last.gen, head: last.seq, dirty: record?.gen === last.gen ? record.dirty : false };
}
