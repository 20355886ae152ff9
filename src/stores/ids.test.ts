import { expect, it } from 'vitest';
import { openTestDb, temporaryFolder } from '../../test/support/embedded-db.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import type { Db } from '../ports/db.ts';
import { countersCollection, createIds } from './ids.ts';

/** A store that counts how often blocks are taken. */
function watchWrites(stored: Db) {
  let writes = 0;
  const collection: Db['collection'] = (spec) => {
    const found = stored.collection(spec);
    const findOneAndUpdate: typeof found.findOneAndUpdate = (...args) => {
      writes++;
      return found.findOneAndUpdate(...args);
    };
    return { ...found, findOneAndUpdate };
  };
  return { db: { ...stored, collection } as Db, writes: () => writes };
}

it('counts from 1 in each series', async () => {
  const ids = createIds({ db: openTestDb() });
  expect([await ids.next('runs'), await ids.next('runs'), await ids.next('notes')]).toEqual([1, 2, 1]);
});

it('writes once for a block, however many ask at once', async () => {
  const db = openTestDb();
  const ids = createIds({ db, blockSize: 100 });
  const taken = await Promise.all(Array.from({ length: 75 }, () => ids.next('runs')));
  expect(taken).toEqual(Array.from({ length: 75 }, (_, at) => at + 1));
  expect(await db.collection(countersCollection).findOne({ _id: 'runs' })).toEqual({ _id: 'runs', next: 101 });
});

it('has the following block before the present one ends', async () => {
  const db = openTestDb();
  const ids = createIds({ db, blockSize: 8 });
  for (let taken = 0; taken < 7; taken++) await ids.next('runs');
  const counters = db.collection(countersCollection);
  await expect.poll(() => counters.findOne({ _id: 'runs' })).toEqual({ _id: 'runs', next: 17 });
  await db.close();
  const rest = await Promise.all(Array.from({ length: 9 }, () => ids.next('runs')));
  expect(rest).toEqual([8, 9, 10, 11, 12, 13, 14, 15, 16]);
});

it('takes larger blocks while the following one comes too late', async () => {
  const db = openTestDb();
  const ids = createIds({ db, blockSize: 8 });
  const taken = await Promise.all(Array.from({ length: 8 + 8 + 16 }, () => ids.next('runs')));
  expect(taken).toEqual(Array.from({ length: 32 }, (_, at) => at + 1));
  const counters = db.collection(countersCollection);
  await expect.poll(() => counters.findOne({ _id: 'runs' })).toEqual({ _id: 'runs', next: 1 + 8 + 8 + 16 + 32 });
});

it('gives a number above that of another process, which may be in the midst of a later block', async () => {
  const db = openTestDb();
  const [one, other] = [createIds({ db, blockSize: 8 }), createIds({ db, blockSize: 8 })];
  let last = 0;
  for (const ids of [one, other, one, one, other, one]) {
    const next = await ids.next('messages', last);
    expect(next).toBeGreaterThan(last);
    last = next;
  }
  // Who asks for no more than the next number goes on where its process is.
  expect([await one.next('messages'), await other.next('messages')]).toEqual([last + 1, expect.any(Number)]);
});

it('gives numbers in the order of time where several processes draw, without a gap where nobody hurries', async () => {
  const db = openTestDb();
  const clock = new SimulatedClock();
  const [one, other] = [createIds({ db, shared: clock }), createIds({ db, shared: clock })];
  const quiet: number[] = [];
  for (const ids of [one, other, other, one, other, one]) {
    quiet.push(await ids.next('messages'));
    await clock.advance(1000);
  }
  expect(quiet).toEqual([1, 2, 3, 4, 5, 6]);

  // A burst takes few blocks, and what is left of the last one is out of date a second later.
  const counters = watchWrites(db);
  const burst = createIds({ db: counters.db, shared: clock });
  const many = await Promise.all(Array.from({ length: 100 }, () => burst.next('messages')));
  expect(many).toEqual([...many].sort((a, b) => a - b));
  expect(counters.writes()).toBeLessThan(10);
  const between = await other.next('messages');
  await clock.advance(1000);
  const after = await burst.next('messages');
  expect(after).toBeGreaterThan(between);
  expect(between).toBeGreaterThan(Math.max(...many));
  await clock.advance(1000);
  expect(await other.next('messages')).toBe(after + 1);
});

it('leaves a gap and never repeats after a restart', async () => {
  const folder = temporaryFolder();
  const before = openTestDb(folder);
  const first = createIds({ db: before, blockSize: 10 });
  expect([await first.next('runs'), await first.next('runs')]).toEqual([1, 2]);
  await before.close();
  expect(await createIds({ db: openTestDb(folder), blockSize: 10 }).next('runs')).toBe(11);
});

it('passes a failure of the store on', async () => {
  const db = openTestDb();
  const ids = createIds({ db, blockSize: 1 });
  expect(await ids.next('runs')).toBe(1);
  await db.close();
  await expect(ids.next('runs')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
});
