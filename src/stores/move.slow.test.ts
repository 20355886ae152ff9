// Moving documents between stores: all of them once, also where a move was cut short, and into an empty store alone.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { silentLogger } from '../kernel/logger.ts';
import type { Db, Entity } from '../ports/db.ts';
import { type EmbeddedDb, openEmbeddedDb } from './embedded/db.ts';
import { moveDocuments, putAside, requireMoved } from './move.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'rivulet-move-'));
  closing.push(() => rm(made, { recursive: true }));
  return made;
}
function open(at: string): EmbeddedDb {
  const db = openEmbeddedDb({ folder: at, clock: systemClock, logger: silentLogger, sync: null });
  closing.push(() => db.close());
  return db;
}

const when = new Date('2026-11-27T10:00:00.123Z');
const numbered = Array.from({ length: 450 }, (_, at) => ({ _id: at + 1, text: `note ${at}`, when, tags: ['a', null] }));
const memory = { _id: 7, title: 'Tea', pending: false, embeddingModel: 'small', revision: 3 };
async function filled(): Promise<EmbeddedDb> {
  const db = open(await folder());
  await db.collection('notes').insertMany(numbered);
  await db.collection('memories').insertOne(memory);
  await db.collection('counters').insertOne({ _id: 'notes', next: 451 } as Entity);
  await db.collection('migrations').insertOne({ _id: 1, name: 'first' } as Entity);
  await db.collection('migration_locks').insertOne({ _id: 'migrations' });
  return db;
}
const all = (db: Db, name: string) =>
  db
    .collection(name)
    .find({}, { sort: { _id: 1 } })
    .toArray();

it('takes every document along as it is, and has indexes made anew', async () => {
  const [from, to] = [await filled(), open(await folder())];
  expect(await moveDocuments({ from, to, storeId: 'a' })).toEqual({ collections: 4, documents: 453 });
  expect(await all(to, 'notes')).toEqual(numbered);
  expect(await all(to, 'memories')).toEqual([{ ...memory, pending: true, embeddingModel: null }]);
  expect(await all(to, 'counters')).toEqual([{ _id: 'notes', next: 451 }]);
  expect(await all(to, 'migration_locks')).toEqual([]);
});

it('goes on where it was cut short, and the new store counts as new until all is there', async () => {
  const [from, to] = [await filled(), open(await folder())];
  let writes = 0;
  const failing: Db = {
    ...to,
    collection: ((name: string) => {
      const inner = to.collection(name);
      const insertMany = (documents: readonly Entity[]) =>
        ++writes === 3 ? Promise.reject(new Error('gone')) : inner.insertMany(documents);
      return { ...inner, insertMany };
    }) as Db['collection'],
  };
  await expect(moveDocuments({ from, to: failing, storeId: 'a' })).rejects.toThrow('gone');
  expect(await all(to, 'counters')).toEqual([]);
  await moveDocuments({ from, to, storeId: 'a' });
  expect(await all(to, 'notes')).toEqual(numbered);
  expect(await all(to, 'counters')).toHaveLength(1);
});

it('leaves a store alone that holds documents of others, or has been worked with since', async () => {
  const [from, to] = [await filled(), open(await folder())];
  await to.collection('people').insertOne({ _id: 1 });
  const refused = { code: 'CONFLICT', message: expect.stringContaining('people') };
  await expect(moveDocuments({ from, to, storeId: 'a' })).rejects.toMatchObject(refused);
  expect(await all(to, 'notes')).toEqual([]);
  await to.collection('people').deleteOne({ _id: 1 });
  await moveDocuments({ from, to, storeId: 'a' });
  // Back on the folder, whose documents change again.
  await from.collection('notes').deleteOne({ _id: 1 });
  const done = { code: 'CONFLICT', message: expect.stringContaining('already') };
  await expect(moveDocuments({ from, to, storeId: 'a' })).rejects.toMatchObject(done);
  expect(await all(to, 'notes')).toHaveLength(450);
  await expect(moveDocuments({ from, to, storeId: 'b' })).rejects.toMatchObject({ code: 'CONFLICT' });
});

it('says of a folder whose documents would not be there, and of one whose documents were moved', async () => {
  const at = await folder();
  const isNew = async () => true;
  await expect(requireMoved(at, isNew)).resolves.toBeUndefined();
  await open(at).close();
  await expect(requireMoved(at, isNew)).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    hint: expect.stringContaining('rivulet move'),
  });
  await expect(requireMoved(at, async () => false)).resolves.toBeUndefined();
  const aside = putAside(at);
  expect((await readdir(at)).filter((name) => name.startsWith('rivulet.db'))).toEqual([basename(aside)]);
  await expect(requireMoved(at, isNew)).resolves.toBeUndefined();
  expect(() => open(at)).toThrow('were moved to MongoDB');
});
