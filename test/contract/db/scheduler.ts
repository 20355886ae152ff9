// The calls that the scheduler (Agenda 6 with its MongoDB back end) makes on the Db it is given.
import { describe, expect } from 'vitest';
import type { Doc, Setting } from './setting.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));

export function schedulerContract({ test, db }: Setting): void {
  const open = () => db().collection<Doc>(`agenda_${Math.random().toString(36).slice(2)}`);
  // Agenda leaves the ids to the driver.
  const job = (fields: object) => fields as Doc;

  describe('scheduler', () => {
    test('scheduler: its index', async () => {
      const keys = { name: 1, nextRunAt: 'asc', priority: -1, lockedAt: 1, disabled: 1 } as const;
      expect(await open().createIndex(keys, { name: 'findAndLockNextJobIndex' })).toBe('findAndLockNextJobIndex');
    });

    test('scheduler: a job gets an ObjectId, by which it is found, locked and unlocked', async () => {
      const jobs = open();
      const { insertedId } = await jobs.insertOne(job({ name: 'a', nextRunAt: at(1), lockedAt: null, type: 'normal' }));
      const id = insertedId as unknown as { toHexString(): string };
      expect(id.toHexString()).toMatch(/^[0-9a-f]{24}$/);
      expect(await jobs.findOne({ _id: insertedId })).toMatchObject({ name: 'a' });
      const lock = { $set: { lockedAt: at(2), lastModifiedBy: null } };
      const criteria = { _id: insertedId, name: 'a', lockedAt: null, nextRunAt: at(1), disabled: { $ne: true } };
      const sort = { nextRunAt: 'asc', priority: 'desc' } as const;
      expect(await jobs.findOneAndUpdate(criteria, lock, { returnDocument: 'after', sort })).toMatchObject({
        lockedAt: at(2),
      });
      expect(await jobs.findOneAndUpdate(criteria, lock, { returnDocument: 'after', sort })).toBeNull();
      await jobs.updateMany({ _id: { $in: [insertedId] } }, { $unset: { lockedAt: true } });
      expect(await jobs.findOneAndUpdate(criteria, lock, { returnDocument: 'after', sort })).not.toBeNull();
    });

    test('scheduler: the next job is the one that is due, free or long locked, by time and priority', async () => {
      const jobs = open();
      await jobs.insertMany([
        job({ name: 'a', n: 1, nextRunAt: at(9), priority: 0 }),
        job({ name: 'a', n: 2, nextRunAt: at(1), priority: 0, lockedAt: null }),
        job({ name: 'a', n: 3, nextRunAt: at(1), priority: 5 }),
        job({ name: 'a', n: 4, nextRunAt: at(0), priority: 0, lockedAt: at(1) }),
        job({ name: 'a', n: 5, nextRunAt: at(0), priority: 0, disabled: true }),
        job({ name: 'b', n: 6, nextRunAt: at(0), priority: 0 }),
      ]);
      const take = () =>
        jobs.findOneAndUpdate(
          {
            name: 'a',
            disabled: { $ne: true },
            $or: [{ lockedAt: { $eq: null }, nextRunAt: { $lte: at(5) } }, { lockedAt: { $lte: at(1) } }],
          },
          { $set: { lockedAt: at(5), lastModifiedBy: 'me' } },
          { returnDocument: 'after', sort: { nextRunAt: 'asc', priority: 'desc' } },
        );
      const taken = [await take(), await take(), await take(), await take()];
      expect(taken.map((one) => one?.n)).toEqual([4, 3, 2, undefined]);
    });

    test('scheduler: a single job is upserted once', async () => {
      const jobs = open();
      const save = (n: number) =>
        jobs.findOneAndUpdate(
          { name: 'a', type: 'single' },
          { $set: { name: 'a', type: 'single', n, data: undefined }, $setOnInsert: { nextRunAt: at(1) } },
          { upsert: true, returnDocument: 'after' },
        );
      const first = await save(1);
      const second = await save(2);
      expect(second).toMatchObject({ _id: first!._id, n: 2, nextRunAt: at(1) });
      expect(await jobs.countDocuments({ nextRunAt: { $lt: at(2) } })).toBe(1);
    });

    test('scheduler: lists, names and removal', async () => {
      const jobs = open();
      await jobs.insertMany(
        ['mail', 'Mailbox', 'sync'].map((name) => job({ name, nextRunAt: at(1), data: { to: name } })),
      );
      const names = await jobs.aggregate<{ _id: string }>([{ $group: { _id: '$name' } }]).toArray();
      expect(names.map((one) => one._id).sort()).toEqual(['Mailbox', 'mail', 'sync']);
      expect(await jobs.countDocuments({ name: { $regex: 'MAIL', $options: 'i' } })).toBe(2);
      expect(
        await jobs.find({ 'data.to': 'sync' }).sort({ nextRunAt: -1, lastRunAt: -1 }).skip(0).limit(5).toArray(),
      ).toHaveLength(1);
      expect(await jobs.deleteMany({ name: { $nin: ['sync'] } })).toMatchObject({ deletedCount: 2 });
    });
  });
}
