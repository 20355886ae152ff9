import { expect, it } from 'vitest';
import { openTestDb, temporaryFolder } from '../../../test/support/embedded-db.ts';
import { defineCollection } from '../../ports/db.ts';
import { createRecent } from './recent.ts';

interface Task {
  _id: number;
  pad?: string;
  code?: number;
  steps?: number[];
  dueUtc?: Date;
}

const spec = defineCollection<Task>({ name: 'tasks', indexes: [{ keys: { code: 1 }, unique: true, sparse: true }] });

async function open() {
  const db = openTestDb(temporaryFolder());
  await db.ensureIndexes([spec]);
  return db.collection(spec);
}

it('a change that was undone is not what the next one builds on', async () => {
  const tasks = await open();
  await tasks.insertMany([
    { _id: 1, code: 1 },
    { _id: 2, code: 2 },
  ]);
  await expect(tasks.updateMany({}, { $set: { code: 3 } })).rejects.toMatchObject({ code: 'DUPLICATE' });
  expect(await tasks.updateOne({ _id: 1, code: 1 }, { $set: { steps: [1] } })).toMatchObject({ matchedCount: 1 });
  expect(await tasks.findOne({ _id: 1 })).toEqual({ _id: 1, code: 1, steps: [1] });
});

it('what is kept shares nothing with who wrote or reads it', async () => {
  const tasks = await open();
  const steps = [1];
  await tasks.insertOne({ _id: 1 });
  await tasks.updateOne({ _id: 1 }, { $set: { steps } });
  steps.push(2);
  (await tasks.findOne({ _id: 1 }))?.steps?.push(3);
  await tasks.updateOne({ _id: 1 }, { $set: { code: 5 } });
  expect(await tasks.findOne({ _id: 1 })).toEqual({ _id: 1, steps: [1], code: 5 });
});

it('other kinds of change are seen by the next one, and so is a removal', async () => {
  const tasks = await open();
  await tasks.insertOne({ _id: 1, code: 1 });
  await tasks.updateOne({ _id: 1 }, { $set: { code: 2 } });
  await tasks.updateOne({ _id: 1 }, { $inc: { code: 1 } });
  expect(await tasks.updateOne({ _id: 1, code: 3 }, { $set: { code: 4 } })).toMatchObject({ matchedCount: 1 });
  await tasks.replaceOne({ _id: 1 }, { _id: 1, code: 5 });
  expect(await tasks.updateOne({ _id: 1, code: 5 }, { $set: { steps: [6] } })).toMatchObject({ matchedCount: 1 });
  await tasks.deleteOne({ _id: 1 });
  expect(await tasks.updateOne({ _id: 1 }, { $set: { code: 7 } })).toMatchObject({ matchedCount: 0 });
});

it('dates stay dates through one change after another', async () => {
  const tasks = await open();
  const dueUtc = new Date(1_700_000_000_000);
  await tasks.insertOne({ _id: 1 });
  await tasks.updateOne({ _id: 1 }, { $set: { dueUtc } });
  expect(await tasks.updateOne({ _id: 1, dueUtc }, { $set: { code: 1 } })).toMatchObject({ matchedCount: 1 });
  expect(await tasks.findOne({ _id: 1 })).toEqual({ _id: 1, dueUtc, code: 1 });
});

it('those that have not changed for longest leave when all together are over the limit', () => {
  const sqlite = { rollbacks: 0 };
  const recent = createRecent(sqlite as never);
  // Each takes 400 characters beside its text.
  const keep = (id: number, size: number) => recent.keep(id, { document: { _id: id }, text: 'x'.repeat(size - 400) });
  const known = () => Array.from({ length: 101 }, (_, id) => id).filter((id) => recent.get(id));
  for (let id = 0; id < 100; id++) keep(id, 40_000);
  expect(known()).toHaveLength(100);
  keep(0, 40_000);
  keep(100, 40_001);
  expect(known()[0]).toBe(0);
  expect(known()).toHaveLength(99);
  for (let id = 0; id < 98; id++) recent.forget(id);
  for (let id = 0; id < 98; id++) keep(id, 40_000);
  expect(known()).toHaveLength(99);
  sqlite.rollbacks++;
  expect(known()).toEqual([]);
  for (let id = 0; id < 100; id++) keep(id, 40_000);
  expect(known()).toHaveLength(100);
  for (let id = 1000; id < 11_001; id++) keep(id, 400);
  expect([recent.get(1000), recent.get(1001)]).toEqual([undefined, expect.anything()]);
});

it('more documents than are kept change all the same', async () => {
  const tasks = await open();
  const ids = Array.from({ length: 300 }, (_, at) => at);
  const pad = 'x'.repeat(20_000);
  await tasks.insertMany(ids.map((_id) => ({ _id, pad })));
  for (const code of [1000, 2000]) {
    await Promise.all(ids.map((_id) => tasks.updateOne({ _id }, { $set: { code: code + _id } })));
  }
  expect((await tasks.find().toArray()).map((task) => task.code)).toEqual(ids.map((_id) => 2000 + _id));
});

it('what is large is not kept in memory, and changes all the same', async () => {
  const sqlite = { rollbacks: 0 } as never;
  const recent = createRecent(sqlite);
  recent.keep(1, { document: { _id: 1 }, text: 'small' });
  recent.keep(2, { document: { _id: 2 }, text: 'x'.repeat(70_000) });
  recent.keep(1, { document: { _id: 1 }, text: 'x'.repeat(70_000) });
  expect([recent.get(1), recent.get(2)]).toEqual([undefined, undefined]);
  const tasks = await open();
  await tasks.insertOne({ _id: 1 });
  const steps = Array.from({ length: 30_000 }, (_, n) => n);
  for (const code of [1, 2]) await tasks.updateOne({ _id: 1 }, { $set: { steps, code } });
  expect(await tasks.findOne({ _id: 1 })).toEqual({ _id: 1, steps, code: 2 });
});
