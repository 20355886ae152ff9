// Durable events in the document store: one document an event and topic, in order of its `_id`.
import { randomBytes } from 'node:crypto';
import { type Db, defineCollection } from '../ports/db.ts';
import type { EventStore, Position, StoredEvent, TopicRecord } from '../ports/event-store.ts';
import { numbering } from './memory-event-store.ts';

interface EventDoc {
  /** `<key>|<gen>|<seq>`, padded so that text order is log order. */
  _id: string;
  type: string;
  at: number;
  body: string;
}

interface TopicDoc {
  _id: string;
  gen: number;
  head: number;
  dirty: boolean;
}

interface OriginDoc {
  _id: string;
  value: string;
}

export const streamEvents = defineCollection<EventDoc>({ name: 'streamEvents', indexes: [{ keys: { at: 1 } }] });
export const streamTopics = defineCollection<TopicDoc>({ name: 'streamTopics' });
export const streamOrigin = defineCollection<OriginDoc>({ name: 'streamOrigin' });

/** Collections to prepare before the event store is used. */
export const streamCollections = [streamEvents, streamTopics, streamOrigin] as const;

/** Events dropped in one step of `trim`. */
const trimStep = 1000;

/** The event store on a document store; its collections' indexes must be there. */
export function createDbEventStore(db: Db): EventStore {
  const events = db.collection(streamEvents);
  const topics = db.collection(streamTopics);
  const origins = db.collection(streamOrigin);

  const save = ({ key, ...record }: TopicRecord) =>
    topics.replaceOne({ _id: key }, { _id: key, ...record }, { upsert: true });
  const topic = async (key: string): Promise<TopicRecord | null> => {
    const found = await topics.findOne({ _id: key });
    return found ? { key, gen: found.gen, head: found.head, dirty: found.dirty } : null;
  };
  const tail = async (key: string, limit: number): Promise<StoredEvent[]> => {
    const found = await events
      .find({ _id: { $gt: `${key}|`, $lt: `${key}|~` } })
      .sort({ _id: -1 })
      .limit(limit)
      .toArray();
    return found.map(toEvent).reverse();
  };

  return {
    topic,
    tail,
    origin: async () => {
      const value = randomBytes(4).toString('hex');
      const options = { upsert: true, returnDocument: 'after' } as const;
      const found = await origins.findOneAndUpdate({ _id: 'origin' }, { $setOnInsert: { value } }, options);
      return found?.value ?? value;
    },
    advance: async (key) => {
      const [last] = await tail(key, 1);
      const floor = last?.gen ?? 0;
      await topics.updateOne({ _id: key }, { $max: { gen: floor } }, { upsert: true });
      const update = { $inc: { gen: 1 }, $set: { head: 0, dirty: true } };
      const found = await topics.findOneAndUpdate({ _id: key }, update, { returnDocument: 'after' });
      return found?.gen ?? floor + 1;
    },
    append: async (added, records) => {
      const writes: Promise<unknown>[] = records.map(save);
      if (added.length > 0) writes.push(events.insertMany(added.map(toDoc)));
      await Promise.all(writes);
    },
    read: async (key, after, limit) => {
      const range = { $gt: eventId(key, after), $lt: `${key}|~` };
      const found = await events.find({ _id: range }).sort({ _id: 1 }).limit(limit).toArray();
      return found.map(toEvent);
    },
    trim: async (before) => {
      let dropped = 0;
      for (;;) {
        const old = await events
          .find({ at: { $lt: before } })
          .sort({ at: 1 })
          .limit(trimStep)
          .toArray();
        const lasts = new Map<string, Position>();
        for (const { key, gen, seq } of old.map(toEvent).sort(inOrder)) lasts.set(key, { gen, seq });
        for (const [key, last] of lasts) {
          const known = await topic(key);
          const record = numbering(key, known, last);
          if (record !== known) await save(record);
        }
        const { deletedCount } = await events.deleteMany({ _id: { $in: old.map((doc) => doc._id) } });
        dropped += deletedCount;
        if (old.length < trimStep) return dropped;
      }
    },
  };
}

const eventId = (key: string, { gen, seq }: Position): string =>
  `${key}|${String(gen).padStart(6, '0')}|${String(seq).padStart(12, '0')}`;

const toDoc = (event: StoredEvent): EventDoc => ({
  _id: eventId(event.key, event),
  type: event.type,
  at: event.at,
  body: event.body,
});

function toEvent({ _id, type, at, body }: EventDoc): StoredEvent {
  const [key = '', gen, seq] = _id.split('|');
  return { key, gen: Number(gen), seq: Number(seq), type, at, body };
}

const inOrder = (a: StoredEvent, b: StoredEvent): number => a.gen - b.gen || a.seq - b.seq;
