// What every event store must do, on the embedded document store and in memory.
import { describe, expect, test } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import type { EventStore, StoredEvent } from '../ports/event-store.ts';
import { createDbEventStore, streamCollections } from './db-event-store.ts';
import { createMemoryEventStore } from './memory-event-store.ts';

async function embedded(): Promise<EventStore> {
  const db = openTestDb();
  await db.ensureIndexes(streamCollections);
  return createDbEventStore(db);
}

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
