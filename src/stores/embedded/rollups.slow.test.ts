import { expect, it } from 'vitest';
import { openTestDb, temporaryFolder } from '../../../test/support/embedded-db.ts';
import { recordStatements } from '../../../test/support/query-plans.ts';
import { defineCollection, type Filter, type Stage } from '../../ports/db.ts';

interface Job {
  _id: number;
  tenantId: number;
  status: string;
  model: string | null;
  at: number;
  cost: number;
  tokens: number;
}

const hour = 3_600_000;
const indexes = [{ keys: { tenantId: 1, at: 1 } }] as const;
const plain = defineCollection<Job>({ name: 'plain', times: 'ms', indexes });
const rolled = defineCollection<Job>({
  name: 'rolled',
  times: 'ms',
  indexes,
  rollups: [
    { per: { path: 'at', ms: 6 * hour }, by: ['tenantId', 'status'], sums: ['cost', 'tokens'] },
    { per: { path: 'at', ms: 6 * hour }, by: ['tenantId', 'status', 'model'], sums: ['cost', 'tokens'] },
    { per: { path: 'at', ms: hour }, by: ['tenantId', 'status', 'model'], sums: ['cost', 'tokens'] },
  ],
});

/** Numbers in [0, 1) that are the same each time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const job = (id: number, random: () => number): Job => ({
  _id: id,
  tenantId: random() < 0.8 ? 1 : 2,
  status: ['Done', 'Failed', 'Busy'][Math.floor(random() * 3)]!,
  model: random() < 0.3 ? null : `m${Math.floor(random() * 3)}`,
  at: Math.floor(random() * 20 * hour),
  cost: Math.floor(random() * 1000) / 1000,
  tokens: Math.floor(random() * 1000),
});

const filters: Filter<Job>[] = [
  { tenantId: 1 },
  { tenantId: 2, status: 'Done' },
  { tenantId: 1, status: { $in: ['Done', 'Busy'] }, model: 'm1' },
  { tenantId: 1, model: null },
  { tenantId: 1, at: { $gte: 3.5 * hour } },
  { tenantId: 1, at: { $lt: 7.25 * hour } },
  { tenantId: 1, at: { $gte: 2 * hour, $lt: 9 * hour }, status: { $ne: 'Busy' } },
  { tenantId: 1, at: { $gte: 3.3 * hour, $lt: 17.6 * hour } },
  { tenantId: 1, at: { $gte: 6 * hour, $lt: 15.5 * hour }, model: 'm0' },
  { tenantId: 1, at: { $gte: 2.2 * hour, $lt: 2.7 * hour } },
  { tenantId: 1, at: { $gte: -hour, $lt: 99 * hour } },
  { tenantId: 1, tokens: { $gt: 500 } },
];

const stages = (match: Filter<Job>): Stage[] => [
  { $match: { ...match } },
  {
    $group: {
      _id: { status: '$status', model: '$model' },
      jobs: { $count: {} },
      cost: { $sum: '$cost' },
      tokens: { $sum: '$tokens' },
    },
  },
];

const ordered = (rows: Record<string, unknown>[]) =>
  rows.map(({ cost, ...row }) => JSON.stringify({ ...row, cost: Math.round((cost as number) * 1e6) / 1e6 })).sort();

it('counts and adds up what documents say, whatever happens to them', async () => {
  const folder = temporaryFolder();
  let db = openTestDb(folder);
  await db.ensureIndexes([plain, rolled]);
  const random = numbers(7);
  const both = () => [db.collection(plain), db.collection(rolled)];
  const check = async () => {
    const [slow, quick] = both() as [ReturnType<typeof both>[0], ReturnType<typeof both>[0]];
    for (const filter of filters) {
      expect(await quick.countDocuments(filter), JSON.stringify(filter)).toBe(await slow.countDocuments(filter));
      const [seen, wanted] = await Promise.all([quick, slow].map((one) => one.aggregate(stages(filter)).toArray()));
      expect(ordered(seen!), JSON.stringify(filter)).toEqual(ordered(wanted!));
    }
  };
  let id = 0;
  for (let round = 0; round < 3; round++) {
    for (let batch = 0; batch < 10; batch++) {
      const made = Array.from({ length: 100 }, () => job(++id, random));
      for (const one of both()) await one.insertMany(made);
    }
    await check();
    for (let change = 0; change < 100; change++) {
      const filter = { _id: 1 + Math.floor(random() * id) };
      const { _id, tenantId: _, ...set } = job(0, random);
      const removes = random() < 0.2;
      for (const one of both()) {
        if (removes) await one.deleteOne(filter);
        else await one.updateOne(filter, { $set: set });
      }
    }
    await check();
    await db.close();
    db = openTestDb(folder);
    await db.ensureIndexes([plain, rolled]);
    await check();
  }
});

it('leaves nothing behind when all has gone', async () => {
  const db = openTestDb();
  await db.ensureIndexes([rolled]);
  const random = numbers(3);
  await db.collection(rolled).insertMany(Array.from({ length: 900 }, (_, at) => job(at + 1, random)));
  await db.collection(rolled).insertMany(Array.from({ length: 900 }, (_, at) => job(at + 901, random)));
  await db.collection(rolled).updateMany({ tenantId: 1 }, { $inc: { cost: 0.1 } });
  await db.collection(rolled).deleteMany({ _id: { $gt: 0 } });
  expect(
    await db
      .collection(rolled)
      .aggregate(stages({ tenantId: 1 }))
      .toArray(),
  ).toEqual([]);
  await db.collection(rolled).insertOne({ ...job(1, random), tenantId: 1, status: 'Done', model: null, cost: 0.3 });
  expect(
    await db
      .collection(rolled)
      .aggregate(stages({ tenantId: 1 }))
      .toArray(),
  ).toMatchObject([{ cost: 0.3 }]);
});

it('rolls up what was there before', async () => {
  const folder = temporaryFolder();
  const before = openTestDb(folder);
  const random = numbers(5);
  await before.ensureIndexes([{ name: 'rolled', indexes: [] }]);
  await before.collection(rolled).insertMany(Array.from({ length: 500 }, (_, at) => job(at + 1, random)));
  await before.close();
  const db = openTestDb(folder);
  await db.ensureIndexes([rolled]);
  const all = await db.collection(rolled).find({ tenantId: 1, status: 'Done' }).toArray();
  expect(await db.collection(rolled).countDocuments({ tenantId: 1, status: 'Done' })).toBe(all.length);
});

it('reads documents neither for long buckets nor for the shorter ones beside them', async () => {
  const db = openTestDb();
  await db.ensureIndexes([rolled]);
  const random = numbers(11);
  await db.collection(rolled).insertMany(Array.from({ length: 500 }, (_, at) => job(at + 1, random)));
  const recorded = recordStatements();
  const match = { tenantId: 1, at: { $gte: 2 * hour, $lt: 17 * hour } };
  await db.collection(rolled).aggregate(stages(match)).toArray();
  recorded.stop();
  const sums = [...recorded.statements].filter((sql) => sql.includes('sum('));
  expect(sums.filter((sql) => sql.includes('FROM "r_rolled.'))).toHaveLength(2);
  // Only what is too new to be rolled up.
  expect(sums.filter((sql) => sql.includes('FROM "d_rolled"') && !sql.includes('rolled IS NULL'))).toEqual([]);
});

it('finds pages of the second half from the end', async () => {
  const db = openTestDb();
  await db.ensureIndexes([rolled]);
  const jobs = db.collection(rolled);
  const random = numbers(17);
  await jobs.insertMany(Array.from({ length: 4000 }, (_, at) => job(at + 1, random)));
  const sort = { at: -1, _id: -1 } as const;
  const all = (await jobs.find({ tenantId: 1 }, { sort }).toArray()).map(({ _id }) => _id);
  const recorded = recordStatements();
  for (const skip of [999, 1000, Math.floor(all.length / 2) + 1, all.length - 20, all.length - 5, all.length, 5000]) {
    const page = await jobs.find({ tenantId: 1 }, { sort, skip, limit: 20 }).toArray();
    expect(page.map(({ _id }) => _id)).toEqual(all.slice(skip, skip + 20));
  }
  recorded.stop();
  const walks = [...recorded.statements].filter((sql) => sql.includes(' OFFSET '));
  expect(walks.filter((sql) => sql.includes(' DESC'))).toHaveLength(1);
  expect(walks.filter((sql) => !sql.includes(' DESC'))).toHaveLength(1);
});

it('counts no document of a write that was undone', async () => {
  const db = openTestDb();
  await db.ensureIndexes([rolled]);
  const jobs = db.collection(rolled);
  const random = numbers(13);
  const one = { ...job(1, random), tenantId: 1 };
  await jobs.insertOne(one);
  let within: Promise<number> | null = null;
  const undone = db.together!((writer) => {
    writer.insert(rolled, { ...one, _id: 2 });
    within = jobs.countDocuments({ tenantId: 1 });
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await within).toBe(2);
  expect(await jobs.countDocuments({ tenantId: 1 })).toBe(1);
  await jobs.deleteOne({ _id: 1 });
  expect(await jobs.countDocuments({ tenantId: 1 })).toBe(0);
});
