import { beforeEach, describe, expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { type Collection, defineCollection } from './db.ts';
import { type PerTenant, perTenant } from './tenanted.ts';

interface Doc {
  _id: number;
  tenantId: number;
  colour: string;
}
const spec = defineCollection<Doc>({ name: 'things' });

let all: Collection<Doc>;
let things: PerTenant<Doc>;
beforeEach(async () => {
  all = openTestDb().collection(spec);
  things = perTenant(all);
  await things(1).insertOne({ _id: 1, tenantId: 1, colour: 'red' });
  await things(2).insertMany([
    { _id: 2, tenantId: 2, colour: 'red' },
    { _id: 3, tenantId: 2, colour: 'blue' },
  ]);
});

describe('a collection of one tenant', () => {
  it('reads only its own, whatever is asked for', async () => {
    expect(await things(1).findOne({ _id: 2 })).toBeNull();
    expect(await things(1).findOne({ tenantId: 2 })).toBeNull();
    expect(await things(1).countDocuments({ $or: [{ tenantId: 2 }, { colour: 'red' }] })).toBe(1);
    expect((await things(2).find({ colour: 'red' }).toArray()).map((one) => one._id)).toEqual([2]);
    expect((await things(1).find().toArray()).map((one) => one._id)).toEqual([1]);
  });

  it('sums up only its own, with or without a leading match', async () => {
    const count = { $group: { _id: '$colour', count: { $count: {} } } };
    expect(
      await things(2)
        .aggregate([{ $match: { colour: 'red' } }, count])
        .toArray(),
    ).toEqual([{ _id: 'red', count: 1 }]);
    expect(
      await things(1)
        .aggregate([{ $match: { tenantId: 2 } }, count])
        .toArray(),
    ).toEqual([]);
    expect(await things(2).aggregate([count]).toArray()).toHaveLength(2);
  });

  it('changes and removes only its own', async () => {
    expect((await things(1).updateMany({}, { $set: { colour: 'green' } })).modifiedCount).toBe(1);
    expect((await things(1).deleteOne({ _id: 3 })).deletedCount).toBe(0);
    expect(await things(1).findOneAndUpdate({ _id: 3 }, { $set: { colour: 'green' } })).toBeNull();
    await expect(things(1).insertOne({ _id: 9, tenantId: 2, colour: 'red' })).rejects.toThrow('another tenant');
    await things(2).deleteMany({});
    expect((await all.find().toArray()).map((one) => one._id)).toEqual([1]);
  });
});
