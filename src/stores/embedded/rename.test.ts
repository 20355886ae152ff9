import { expect, it } from 'vitest';
import { openTestDb, temporaryFolder } from '../../../test/support/embedded-db.ts';
import { recordStatements } from '../../../test/support/query-plans.ts';
import { type CollectionName, defineCollection } from '../../ports/db.ts';

interface Call {
  _id: number;
  tenantId: number;
  model: string;
  /** ms since 1970 UTC. */
  at: number;
  tokens: number;
  tags: string[];
}

const callsAs = (name: string) =>
  defineCollection<Call>({
    name: name as CollectionName,
    times: 'ms',
    indexes: [
      { keys: { tenantId: 1, model: 1 } },
      { keys: { tags: 1 } },
      { keys: { tokens: 1 }, name: 'large', partialFilterExpression: { tokens: { $gt: 100 } } },
    ],
    rollups: [{ per: { path: 'at', ms: 3_600_000 }, by: ['tenantId', 'model'], sums: ['tokens'] }],
    texts: ['model'],
  });
const [before, after] = [callsAs('modelCalls'), callsAs('model_calls')];
const call = (id: number): Call => ({
  _id: id,
  tenantId: 1,
  model: `model ${id % 3}`,
  at: id * 1_000_000,
  tokens: id,
  tags: [`t${id % 2}`],
});
const sums = [{ $match: { tenantId: 1 } }, { $group: { _id: '$model', tokens: { $sum: '$tokens' } } }] as const;

it('renames a collection with its indexes, roll-ups and texts, and makes none of its tables anew', async () => {
  const folder = temporaryFolder();
  const db = openTestDb(folder);
  await db.ensureIndexes([before]);
  await db.collection(before).insertMany(Array.from({ length: 300 }, (_, at) => call(at + 1)));
  const summed = await db.collection(before).aggregate(sums).toArray();
  const roots = (name: string) =>
    db.file
      .all('SELECT rootpage FROM sqlite_master WHERE tbl_name GLOB ? AND rootpage > 0 AND name NOT GLOB ?', [
        `[der]_${name}*`,
        'n_*',
      ])
      .map(([page]) => page)
      .sort();
  const pages = roots('modelCalls');
  expect(await db.renameCollection('modelCalls', 'model_calls')).toBe(true);
  expect(roots('model_calls')).toEqual(pages);
  expect(
    db.file.all('SELECT name FROM sqlite_master WHERE name GLOB ? OR sql GLOB ?', ['*modelCalls*', '*modelCalls*']),
  ).toEqual([]);
  const { statements, stop } = recordStatements();
  await db.ensureIndexes([after]);
  stop();
  expect([...statements].filter((sql) => sql.startsWith('CREATE INDEX'))).toEqual([]);
  const calls = db.collection(after);
  expect(await calls.aggregate(sums).toArray()).toEqual(summed);
  expect(await calls.countDocuments({ tags: 't1', tokens: { $gt: 100 } })).toBe(100);
  expect(await calls.countDocuments({ model: { $regex: 'del 2' } })).toBe(100);
  await calls.deleteOne({ _id: 2 });
  await calls.updateOne({ _id: 5 }, { $set: { tokens: 1005 } });
  await db.close();

  const again = openTestDb(folder);
  await again.ensureIndexes([after]);
  expect(again.file.all('PRAGMA integrity_check')).toEqual([['ok']]);
  const found = await again.collection(after).aggregate<{ _id: string; tokens: number }>(sums).toArray();
  const two = (list: readonly object[]) => list.find((one) => Reflect.get(one, '_id') === 'model 2');
  expect(Reflect.get(two(found)!, 'tokens')).toBe(Reflect.get(two(summed)!, 'tokens') - 2 + 1000);
});

it('takes the place of a collection that is empty, and of no other', async () => {
  const db = openTestDb();
  await db.ensureIndexes([before, after]);
  await db.collection(before).insertOne(call(1));
  await db.collection(after).insertOne(call(2));
  expect(await db.renameCollection('modelCalls', 'model_calls')).toBe(false);
  await db.collection(after).deleteOne({ _id: 2 });
  expect(await db.renameCollection('modelCalls', 'model_calls')).toBe(true);
  await db.ensureIndexes([after]);
  expect(await db.collection(after).find({ model: 'model 1' }).toArray()).toEqual([call(1)]);
});
