// Durable events in the document store: blocks under their home topic, and references in the other topics.
import { randomBytes } from 'node:crypto';
import type { LRUCache } from 'lru-cache';
import { createLru } from '../../kernel/lru.ts';
import { type Collection, type Db, defineCollection } from '../../ports/db.ts';
import type {
  EventPlace,
  EventStore,
  NewStoredEvent,
  Position,
  StoredEvent,
  TopicRecord,
} from '../../ports/event-store.ts';
import { type Block, decodeBlock, encodeBlock, groupEvents, placesOf, topicOf } from './event-blocks.ts';
import { follows, numbering } from './memory-event-store.ts';

/** A block, a reference to one, or a single event as earlier versions stored them. */
interface EventDoc extends Block {
  /** Id `<key>|<gen>|<seq>` of the last event in this topic, padded so that text order is log order. */
  _id: string;
  /** Time of the last event; absent on a reference, which is removed with its block. */
  at?: number;
  /** Id of the block that a reference names. */
  ref?: string;
  type?: string;
  body?: string;
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

export const streamEvents = defineCollection<EventDoc>({
  name: 'stream_events',
  times: 'ms',
  indexes: [{ keys: { at: 1 } }],
});
export const streamTopics = defineCollection<TopicDoc>({ name: 'stream_topics' });
export const streamOrigin = defineCollection<OriginDoc>({ name: 'stream_origin' });

/** Collections to prepare before the event store is used. */
export const streamCollections = [streamEvents, streamTopics, streamOrigin] as const;

/** Documents per step of `trim` and per page: each holds several events. */
const trimStep = 500;
const pageDocuments = 32;

/** The event store on a document store; its collections' indexes must be there. */
export function createDbEventStore(db: Db): EventStore {
  const events = db.collection(streamEvents);
  const topics = db.collection(streamTopics);
  const origins = db.collection(streamOrigin);

  const { topic, save } = recordsOf(topics);
  const { gone } = removalsOf(db);
  const trim = trimOf(events, { topic, save });
  const gather = readerOf(events);
  const tail = async (key: string, limit: number) => (await gather(key, limit, null)).slice(-limit);

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
    append: async (added, records, { apart = false } = {}) => {
      if (gone.size > 0) for (const event of added) for (const { key } of placesOf(event)) gone.delete(key);
      // A node that has a removed topic in memory settles its numbering when it lets go of it.
      const writes: Promise<unknown>[] = records.filter(({ key, dirty }) => dirty || !gone.has(key)).map(save);
      if (added.length > 0) writes.push(events.insertMany(groupEvents(added, apart).flatMap(toDocuments)));
      await Promise.all(writes);
    },
    read: async (key, after, limit) => (await gather(key, limit, after)).slice(0, limit),
    trim: (before, prefix) => inTurn(db, () => trim(before, prefix)),
  };
}

const recordsOf = (topics: Collection<TopicDoc>): Records => ({
  save: ({ key, ...record }) => topics.replaceOne({ _id: key }, { _id: key, ...record }, { upsert: true }),
  topic: async (key) => {
    const found = await topics.findOne({ _id: key });
    return found ? { key, gen: found.gen, head: found.head, dirty: found.dirty } : null;
  },
});

/** What one process knows of the removals in a store. */
interface Removals {
  /** The last trim or removal. */
  last: Promise<unknown>;
  /** Topics that were removed lately, and have had no event since. */
  gone: LRUCache<string, true>;
}

const removals = new WeakMap<Db, Removals>();
const mostRemoved = 100_000;

function removalsOf(db: Db): Removals {
  const known = removals.get(db) ?? { last: Promise.resolve(), gone: createLru<string, true>(mostRemoved) };
  removals.set(db, known);
  return known;
}

/** Does one trim or removal of a store at a time: a trim would write the numbering of a topic that was removed meanwhile. */
function inTurn<R>(db: Db, work: () => Promise<R>): Promise<R> {
  const known = removalsOf(db);
  const done = known.last.then(work);
  known.last = done.catch(() => {});
  return done;
}

/** Deletes topics with their events, also where these stand in further topics, which keep their numbering. */
export const removeTopics = (db: Db, keys: readonly string[]): Promise<void> => inTurn(db, () => removeNow(db, keys));

async function removeNow(db: Db, keys: readonly string[]): Promise<void> {
  const events = db.collection(streamEvents);
  const topics = db.collection(streamTopics);
  const drop = droppingOf(events, recordsOf(topics));
  for (const key of keys)
    for (let isMore = true; isMore; ) {
      const some = await events.find({ _id: { $gt: `${key}|`, $lt: `${key}|~` } }, { limit: trimStep }).toArray();
      if (some.length > 0) await drop(some);
      isMore = some.length === trimStep;
    }
  const { gone } = removalsOf(db);
  for (const key of keys) gone.set(key, true);
  await topics.deleteMany({ _id: { $in: [...keys] } });
}

/** Reads documents of topics, by their places. */
function readerOf(events: Collection<EventDoc>) {
  /** Events of documents in one topic; the blocks of references are read together. */
  const open = async (key: string, documents: readonly EventDoc[]): Promise<StoredEvent[]> => {
    const refs = documents.flatMap(({ ref }) => (ref === undefined ? [] : [ref]));
    const found = refs.length > 0 ? await events.find({ _id: { $in: refs } }).toArray() : [];
    const blocks = new Map(found.map((one) => [one._id, one]));
    return documents.flatMap((document) => {
      const block = document.ref === undefined ? document : blocks.get(document.ref);
      if (!block) return [];
      const last = positionOf(document._id);
      return eventsOf(block).filter((event) => event.key === key && event.gen === last.gen && event.seq <= last.seq);
    });
  };

  /** Reads documents from one end of a topic until they hold `limit` events or none are left. */
  return async (key: string, limit: number, after: Position | null): Promise<StoredEvent[]> => {
    const found: StoredEvent[] = [];
    let from = after ? eventId(key, after) : `${key}|`;
    let to = `${key}|~`;
    for (;;) {
      const step = Math.min(limit, pageDocuments);
      const page = await events
        .find({ _id: { $gt: from, $lt: to } })
        .sort({ _id: after ? 1 : -1 })
        .limit(step)
        .toArray();
      const more = await open(key, page);
      // A block may begin before the requested position.
      found.push(...(after ? more.filter((event) => follows(event, after)) : more));
      const last = page.at(-1);
      if (!last || page.length < step || found.length >= limit) return found.sort(inOrder);
      if (after) from = last._id;
      else to = last._id;
    }
  };
}

interface Records {
  topic(key: string): Promise<TopicRecord | null>;
  save(record: TopicRecord): Promise<unknown>;
}

/** Deletes documents with the references to them, and keeps the numbering of their topics; answers how many events went. */
function droppingOf(events: Collection<EventDoc>, { topic, save }: Records) {
  return async (old: readonly EventDoc[]): Promise<number> => {
    const all = old.flatMap(eventsOf);
    // A reference's id has the last number of its block in that topic.
    const refs = old.flatMap((one) => refsOf(eventsOf(one)));
    const there = await events.find({ _id: { $in: refs } }, { projection: { _id: 1 } }).toArray();
    const standing = new Set([...old, ...there].map(({ _id }) => topicIn(_id)));
    const lasts = new Map<string, StoredEvent>();
    for (const event of all) {
      // A topic without a reference was removed.
      if (!standing.has(event.key)) continue;
      const known = lasts.get(event.key);
      if (!known || follows(event, known)) lasts.set(event.key, event);
    }
    for (const [key, last] of lasts) {
      const known = await topic(key);
      const record = numbering(key, known, last);
      if (record !== known) await save(record);
    }
    await events.deleteMany({ _id: { $in: [...new Set([...old.map((one) => one._id), ...refs])] } });
    return all.length;
  };
}

/** Deletes events from before a time. */
function trimOf(events: Collection<EventDoc>, records: Records): EventStore['trim'] {
  const drop = droppingOf(events, records);
  return async (before, prefix): Promise<number> => {
    const within = prefix === undefined ? {} : { _id: { $gt: prefix, $lt: `${prefix}~` } };
    let dropped = 0;
    for (;;) {
      const old = await events
        .find({ ...within, at: { $lt: before } })
        .sort({ at: 1 })
        .limit(trimStep)
        .toArray();
      dropped += await drop(old);
      if (old.length < trimStep) return dropped;
    }
  };
}

const eventId = (key: string, { gen, seq }: Position): string =>
  `${key}|${String(gen).padStart(6, '0')}|${String(seq).padStart(12, '0')}`;

/** A block and the references to it, the block first. */
function toDocuments(group: NewStoredEvent[]): EventDoc[] {
  const last = group.at(-1) as NewStoredEvent;
  const _id = eventId(last.key, last);
  const refs = refsOf(group.flatMap(placesOf)).filter((id) => id !== _id);
  return [{ _id, at: last.at, ...encodeBlock(group) }, ...refs.map((id) => ({ _id: id, ref: _id }))];
}

/** Ids of the last place in each topic and generation. */
function refsOf(places: readonly EventPlace[]): string[] {
  const lasts = new Map<string, EventPlace>();
  for (const place of places) {
    const name = topicOf(place);
    if (place.seq > (lasts.get(name)?.seq ?? 0)) lasts.set(name, place);
  }
  return Array.from(lasts.values(), (place) => eventId(place.key, place));
}

function eventsOf({ _id, type, at = 0, body, ref, ...block }: EventDoc): StoredEvent[] {
  if (ref !== undefined) return [];
  if (type === undefined || body === undefined) return decodeBlock(block);
  return [{ key: topicIn(_id), ...positionOf(_id), type, at, body }];
}

const topicIn = (id: string): string => id.split('|', 1)[0] ?? '';

function positionOf(id: string): Position {
  const [, gen, seq] = id.split('|');
  return { gen: Number(gen), seq: Number(seq) };
}

const inOrder = (a: StoredEvent, b: StoredEvent): number => a.gen - b.gen || a.seq - b.seq;
