// Places in the one order of a project's tasks: as a list would have them, and found by reading a few tasks however many there are.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { orderKeyBetween } from '../../kernel/order.ts';
import type { Collection, Db, Entity, FindCursor } from '../../ports/db.ts';
import { createIds } from '../../stores/ids.ts';
import { createTaskBook } from './book.ts';
import { type ProjectTaskDoc, taskRecord } from './record.ts';

/** Counts the documents that finds answer. */
function counting(db: Db) {
  const read = { documents: 0 };
  const collection = (source: never) =>
    new Proxy(db.collection(source) as Collection<Entity>, {
      get(target, name) {
        if (name !== 'find') return Reflect.get(target, name);
        return (...all: Parameters<Collection<Entity>['find']>) => {
          const cursor: FindCursor<Entity> = target.find(...all);
          const toArray = async () => {
            const found = await cursor.toArray();
            read.documents += found.length;
            return found;
          };
          return Object.assign(Object.create(cursor), { toArray });
        };
      },
    });
  const counted = new Proxy(db, { get: (to, name) => (name === 'collection' ? collection : Reflect.get(to, name)) });
  return { read, counted };
}

async function withTasks(count: number) {
  const { read, counted: db } = counting(openTestDb());
  await db.ensureIndexes([taskRecord.spec]);
  const ranks: string[] = [];
  for (let at = 0; at < count; at++) ranks.push(orderKeyBetween(ranks.at(-1) ?? null, null));
  const docs = ranks.map((rank, at) => ({ _id: at + 1, tenantId: 1, projectId: 7, rank }) as ProjectTaskDoc);
  await db.collection(taskRecord.spec).insertMany(docs);
  const clock = { now: () => 0 } as never;
  const book = createTaskBook({ db, ids: createIds({ db }), clock, publisher: { publish: async () => {} } as never });
  return { read, book, db };
}

it('reads no more for a place among many', async () => {
  for (const count of [20, 400]) {
    const { book, read } = await withTasks(count);
    for (const place of [{ position: 0 }, { position: 9 }, { position: count * 2 }, { after: 5 }, { after: null }, {}])
      await book.rankAt(1, 7, { id: 3, ...place });
    expect([count, read.documents <= 8]).toEqual([count, true]);
  }
});

it('puts each where a list would have it', async () => {
  const { book, db } = await withTasks(12);
  let model = Array.from({ length: 12 }, (_, at) => at + 1);
  for (let turn = 0; turn < 60; turn++) {
    const id = (turn * 7) % 12 || 12;
    const others = model.filter((one) => one !== id);
    const position = (turn * 5) % 14;
    const after = turn % 3 === 0 ? (others[turn % 11] ?? null) : undefined;
    const index = after === undefined ? Math.min(position, 11) : after === null ? 0 : others.indexOf(after) + 1;
    const rank = await book.rankAt(1, 7, after === undefined ? { id, position } : { id, after });
    await db.collection(taskRecord.spec).updateOne({ _id: id }, { $set: { rank } });
    model = [...others.slice(0, index), id, ...others.slice(index)];
    const now = await db
      .collection(taskRecord.spec)
      .find({ projectId: 7 }, { sort: { rank: 1 } })
      .toArray();
    expect(now.map(({ _id }) => _id)).toEqual(model);
  }
});

it('knows no place after a task of elsewhere', async () => {
  const { book } = await withTasks(2);
  await expect(book.rankAt(1, 7, { id: 1, after: 99 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
