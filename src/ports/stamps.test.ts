// Stamps that no right clock has set are mended; those of clocks that differ by minutes are left alone.
import { expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { defineCollection } from './db.ts';
import { mendStamps } from './stamps.ts';

const minute = 60_000;

it('what would wait for years is due in a minute, what waits as long as it may goes on waiting', async () => {
  const clock = new SimulatedClock();
  const db = openTestDb(undefined, clock);
  const spec = defineCollection<{ _id: number; kind: string; due: Date | null }>({ name: 'waits' });
  const waits = db.collection(spec);
  const at = (ms: number) => new Date(clock.now() + ms);
  await waits.insertMany([
    { _id: 1, kind: 'a', due: at(10 * 365 * 86_400_000) },
    { _id: 2, kind: 'a', due: at(65 * minute) },
    { _id: 3, kind: 'a', due: null },
    { _id: 4, kind: 'b', due: at(10 * 365 * 86_400_000) },
  ]);
  const stamps = [{ collection: spec, field: 'due', longestMs: 60 * minute, where: { kind: 'a' } }];
  const before = await waits.find({ _id: { $gt: 1 } }).toArray();
  expect(await mendStamps({ db, clock }, stamps)).toBe(1);
  expect((await waits.findOne({ _id: 1 }))?.due).toEqual(at(minute));
  expect(await waits.find({ _id: { $gt: 1 } }).toArray()).toEqual(before);
});
