import { expect, it } from 'vitest';
import { openTestDb, temporaryFolder } from '../../../test/support/embedded-db.ts';
import { systemClock } from '../../kernel/clock.ts';
import { defineCollection } from '../../ports/db.ts';

interface Note {
  _id: number;
  n: number;
}

const notes = defineCollection<Note>({ name: 'notes', indexes: [{ keys: { n: 1 } }] });

it('a change of many lets others write between its parts, and ends though they add what it would take', async () => {
  const db = openTestDb(temporaryFolder(), systemClock);
  const all = db.collection(notes);
  await all.insertMany(Array.from({ length: 1000 }, (_, at) => ({ _id: at, n: 1 })));
  const seen: number[] = [];
  const changing = all.updateMany({ n: 1 }, { $set: { n: 2 } });
  let isOver = false;
  void changing.then(() => {
    isOver = true;
  });
  for (let at = 1000; !isOver; at++) {
    await all.insertOne({ _id: at, n: 1 });
    seen.push(await all.countDocuments({ n: 2 }));
  }
  const { matchedCount, modifiedCount } = await changing;
  expect(modifiedCount).toBe(matchedCount);
  expect(seen.some((changed) => changed > 0 && changed < 1000)).toBe(true);
  expect(await all.countDocuments({ n: 2 })).toBe(matchedCount);
  expect(await all.countDocuments({ n: 1 })).toBe(1000 + seen.length - matchedCount);
  await db.close();
});
