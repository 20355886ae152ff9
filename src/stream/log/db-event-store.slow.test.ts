// What every event store must do, on the embedded document store and in memory.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import type { Db } from '../../ports/db.ts';
import type { EventStore, NewStoredEvent, Position, StoredEvent } from '../../ports/event-store.ts';
import { createDbEventStore, removeTopics, streamCollections, streamEvents, streamTopics } from './db-event-store.ts';
import { createMemoryEventStore } from './memory-event-store.ts';

async function openDb(): Promise<{ db: Db; store: EventStore }> {
  const db = openTestDb();
  await db.ensureIndexes(streamCollections);
  return { db, store: createDbEventStore(db) };
}

const embedded = async (): Promise<EventStore> => (await openDb()).store;

const row = (key: string, gen: number, seq: number, at = seq): StoredEvent => ({
  key,
  gen,
  seq,
  type: 'run.event',
  at,
  body: `{"n":${seq}}`,
});

describe.each([
  ['in memory', async () => createMemoryEventStore()],
  ['embedded', embedded],
])('%s', (_name, open) => {
  test('events come back in log order, topic by topic, generation by generation', async () => {
    const store = await open();
    const rows = [row('1/run:1', 1, 1), row('1/run:1', 1, 2), row('1/run:1', 1, 10), row('1/run:1', 2, 1)];
    await store.append([...rows.slice(0, 2), row('1/run:10', 1, 1), row('1/runs', 1, 1)], []);
    await store.append(rows.slice(2), []);
    expect(await store.read('1/run:1', { gen: 0, seq: 0 }, 10)).toEqual(rows);
    expect(await store.read('1/run:1', { gen: 1, seq: 2 }, 1)).toEqual([rows[2]]);
    expect(await store.read('1/run:1', { gen: 2, seq: 1 }, 10)).toEqual([]);
    expect(await store.tail('1/run:1', 2)).toEqual(rows.slice(2));
  });

  test('the same event is kept once', async () => {
    const store = await open();
    await store.append([row('1/run:1', 1, 1)], []);
    await expect(store.append([row('1/run:1', 1, 1)], [])).rejects.toMatchObject({ code: 'DUPLICATE' });
  });

  test('an event of several topics is read in each of them, by its number there', async () => {
    const store = await open();
    const also = (seq: number) => [{ key: '1/runs', gen: 2, seq }];
    await store.append([{ ...row('1/run:1', 1, 1), also: also(4) }, row('1/run:1', 1, 3)], []);
    await store.append([{ ...row('1/run:2', 1, 1), also: also(5) }], [], { apart: true });
    await store.append([{ ...row('1/run:1', 1, 4), also: also(7) }], []);
    expect((await store.read('1/runs', { gen: 0, seq: 0 }, 10)).map(({ gen, seq, body }) => [gen, seq, body])).toEqual([
      [2, 4, '{"n":1}'],
      [2, 5, '{"n":1}'],
      [2, 7, '{"n":4}'],
    ]);
    expect((await store.read('1/run:1', { gen: 1, seq: 1 }, 1)).map(({ seq }) => seq)).toEqual([3]);
    expect((await store.tail('1/runs', 2)).map(({ seq }) => seq)).toEqual([5, 7]);
    await expect(store.append([row('1/runs', 2, 5)], [])).rejects.toMatchObject({ code: 'DUPLICATE' });
  });

  test('records and generations of topics are kept', async () => {
    const store = await open();
    const record = { key: '1/runs', gen: 3, head: 7, dirty: true };
    expect(await store.topic('1/runs')).toBeNull();
    await store.append([], [record]);
    expect(await store.topic('1/runs')).toEqual(record);
    expect(await store.advance('1/runs')).toBe(4);
    await store.append([row('1/run:1', 5, 1)], []);
    expect(await store.advance('1/run:1')).toBe(6);
    expect(await store.advance('1/run:2')).toBe(1);
    expect(await store.origin()).toBe(await store.origin());
  });

  test('old events go, but their numbers are not given again', async () => {
    const store = await open();
    await store.append([row('1/run:1', 1, 1, 100), row('1/run:1', 1, 2, 100), row('1/run:2', 1, 1, 300)], []);
    expect(await store.trim(200)).toBe(2);
    expect(await store.tail('1/run:1', 5)).toEqual([]);
    expect(await store.topic('1/run:1')).toEqual({ key: '1/run:1', gen: 1, head: 2, dirty: false });
    expect(await store.tail('1/run:2', 5)).toHaveLength(1);
  });
});

test('whatever is written together, each topic reads back what was written, from any place and in any steps', async () => {
  const keys = ['1/run:1', '1/run:2', '1/runs'];
  const commits = fc.array(
    fc.array(fc.record({ home: fc.nat(1), shared: fc.boolean(), skip: fc.nat(2), size: fc.nat(3000) }), {
      maxLength: 90,
    }),
    { minLength: 1, maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(commits, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (written, step, apart) => {
      const [store, model] = [await embedded(), createMemoryEventStore()];
      const heads = new Map(keys.map((key) => [key, 0]));
      const place = (key: string, skip: number) => {
        const seq = (heads.get(key) ?? 0) + 1 + skip;
        heads.set(key, seq);
        return { key, gen: 1, seq };
      };
      for (const commit of written) {
        const rows = commit.map(({ home, shared, skip, size }, at): NewStoredEvent => {
          const event = { type: 'run.event', at, body: JSON.stringify({ text: 'ä\n'.repeat(size) }) };
          const also = shared ? [place('1/runs', skip)] : [];
          return { ...place(keys[home] as string, skip), ...event, also };
        });
        await Promise.all([store.append(rows, [], { apart }), model.append(rows, [])]);
      }
      for (const key of keys) {
        const all = await model.read(key, { gen: 0, seq: 0 }, 1000);
        const read: StoredEvent[] = [];
        for (let at: Position = { gen: 0, seq: 0 }; ; at = read.at(-1) as Position) {
          const page = await store.read(key, at, step);
          read.push(...page);
          if (page.length < step) break;
        }
        expect(read).toEqual(all);
        expect(await store.tail(key, step)).toEqual(all.slice(-step));
      }
      expect(await store.trim(1000)).toBe([...heads.keys()].length > 0 ? await model.trim(1000) : 0);
      for (const key of keys) expect(await store.tail(key, 1)).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

test('events of several topics that take turns in a third are read there one by one', async () => {
  const store = await embedded();
  const shared = (home: string, seq: number, at: number): NewStoredEvent => ({
    ...row(home, 1, seq),
    also: [{ key: '1/runs', gen: 1, seq: at }],
  });
  await store.append([shared('1/run:1', 1, 1), shared('1/run:2', 1, 2), shared('1/run:1', 2, 3)], []);
  const seen: number[] = [];
  for (let after: Position = { gen: 0, seq: 0 }; ; ) {
    const [next] = await store.read('1/runs', after, 1);
    if (!next) break;
    seen.push(next.seq);
    after = next;
  }
  expect(seen).toEqual([1, 2, 3]);
});

test('events that an earlier version stored, one document a topic, are read and dropped with the others', async () => {
  const { db, store } = await openDb();
  const old = [1, 2].map((seq) => ({
    _id: `1/run:1|000001|${String(seq).padStart(12, '0')}`,
    type: 'run.event',
    at: seq,
    body: `{"n":${seq}}`,
  }));
  await db.collection(streamEvents).insertMany(old);
  await store.append([row('1/run:1', 1, 3)], []);
  expect(await store.read('1/run:1', { gen: 1, seq: 1 }, 10)).toEqual([row('1/run:1', 1, 2), row('1/run:1', 1, 3)]);
  expect(await store.tail('1/run:1', 2)).toEqual([row('1/run:1', 1, 2), row('1/run:1', 1, 3)]);
  expect(await store.trim(3)).toBe(2);
  expect(await store.tail('1/run:1', 9)).toEqual([row('1/run:1', 1, 3)]);
});

test('payloads are kept once and small, and no reference outlives its block', async () => {
  const { db, store } = await openDb();
  const body = JSON.stringify(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`field${n}`, n])));
  const types = ['run.event', 'run.status', 'run.completed', 'run.ended'];
  const events = types.map((type, at): NewStoredEvent => {
    const seq = at + 1;
    const also = [`1/run-tree:1`, '1/runs'].map((key) => ({ key, gen: 1, seq }));
    return { key: '1/run:1', gen: 1, seq, type, at, body, also };
  });
  await store.append(events, []);
  const documents = await db.collection(streamEvents).find().toArray();
  expect(documents).toHaveLength(3);
  expect(JSON.stringify(documents).length).toBeLessThan(2 * body.length);
  expect(await store.trim(10)).toBe(12);
  expect(await db.collection(streamEvents).countDocuments()).toBe(0);
});

test('a topic that is removed takes its events out of further topics, which go on with their numbers', async () => {
  const { db, store } = await openDb();
  const also = (seq: number) => [{ key: '1/runs', gen: 2, seq }];
  await store.append(
    [
      { ...row('1/run:1', 1, 1), also: also(1) },
      { ...row('1/run:1', 1, 2), also: also(2) },
    ],
    [],
  );
  await store.append([{ ...row('1/run:10', 1, 1), also: also(3) }], []);
  await store.append([{ ...row('1/run:1', 1, 3), also: also(4) }], []);
  await removeTopics(db, ['1/run:1']);
  expect(await store.topic('1/runs')).toMatchObject({ gen: 2, head: 4 });
  expect((await store.read('1/runs', { gen: 0, seq: 0 }, 10)).map(({ seq }) => seq)).toEqual([3]);
  // The event that stays, and the reference to it.
  expect(await db.collection(streamEvents).countDocuments()).toBe(2);
  expect(await db.collection(streamTopics).countDocuments({ _id: '1/run:1' })).toBe(0);
  await store.append([{ ...row('1/run:11', 1, 1), also: also(5) }], []);
});

test('a topic that was removed stays so when events that stood in it go later', async () => {
  const { db, store } = await openDb();
  const also = (seq: number) => [{ key: '1/run-tree:1', gen: 1, seq }];
  for (const seq of [1, 2]) await store.append([{ ...row('1/runs', 1, seq), also: also(seq) }], []);
  await removeTopics(db, ['1/run-tree:1']);
  expect(await store.trim(2)).toBe(2);
  expect((await db.collection(streamTopics).find().toArray()).map(({ _id }) => _id)).toEqual(['1/runs']);
  // One that is there goes on with its numbers.
  await store.append([{ ...row('1/runs', 1, 3), also: also(3) }], []);
  await store.trim(4);
  expect(await store.topic('1/run-tree:1')).toMatchObject({ gen: 1, head: 3 });
});

test('topics that are removed while their events are trimmed leave nothing', async () => {
  const { db, store } = await openDb();
  const runs = Array.from({ length: 40 }, (_, at) => at + 1);
  for (const run of runs)
    await store.append([{ ...row('1/runs', 1, run), also: [{ key: `1/run-tree:${run}`, gen: 1, seq: 1 }] }], []);
  await Promise.all([
    store.trim(1000),
    removeTopics(
      db,
      runs.map((run) => `1/run-tree:${run}`),
    ),
  ]);
  expect((await db.collection(streamTopics).find().toArray()).map(({ _id }) => _id)).toEqual(['1/runs']);
});

test('a topic that was removed while it was in memory stays so when its numbering is settled, until it has an event', async () => {
  const { db, store } = await openDb();
  const settled = { key: '1/run:1', gen: 1, head: 9, dirty: false };
  await store.append([row('1/run:1', 1, 1)], [{ ...settled, dirty: true }]);
  await removeTopics(db, ['1/run:1']);
  await store.append([], [settled]);
  expect(await store.topic('1/run:1')).toBeNull();
  await store.append([row('1/run:1', 1, 10)], []);
  await store.append([], [{ ...settled, head: 11 }]);
  expect(await store.topic('1/run:1')).toMatchObject({ head: 11 });
});
