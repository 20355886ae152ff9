// Reads that share a statement find what each finds by itself.
import { expect, it, vi } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { defineCollection } from '../../ports/db.ts';
import type { EmbeddedDb } from './db.ts';

interface Leaf {
  _id: number;
  branch: number;
  text: string;
  at: Date;
}
const leaves = defineCollection<Leaf>({ name: 'leaves', indexes: [{ keys: { branch: 1, _id: 1 } }] });

async function setUp() {
  const db = openTestDb();
  await db.ensureIndexes([leaves]);
  const texts = ['plain', '\u0001d7 like a date', 'two,\nlines', '"quoted"', 'éß漢😀', '', '}{', 'a,b'];
  await db
    .collection(leaves)
    .insertMany(texts.map((text, at) => ({ _id: at + 1, branch: at % 3, text, at: new Date(at) })));
  return db;
}

const readsOf = (db: EmbeddedDb) => {
  const all = db.collection(leaves);
  return () =>
    Promise.all([
      all.find({ branch: 1 }, { sort: { _id: -1 }, limit: 10 }).toArray(),
      all.find({ branch: 0 }, { sort: { _id: 1 }, limit: 2, projection: { text: 1 } }).toArray(),
      all.find({ branch: 2 }).toArray(),
      all.find({ text: { $regex: 'a', $options: 'i' } }, { sort: { _id: 1 }, limit: 5 }).toArray(),
      all.find({ branch: 9 }, { sort: { _id: 1 }, limit: 5 }).toArray(),
      all.findOne({ _id: 2 }),
      all.findOne({ _id: 2, branch: 2 }),
      all.findOne({ branch: 0 }, { sort: { _id: -1 }, projection: { at: 1 } }),
      all.findOne({ branch: 9 }),
      all.countDocuments({ branch: 0 }),
    ]);
};

/** How many statements read the file. */
function countReads({ file }: EmbeddedDb) {
  const spies = [vi.spyOn(file, 'get'), vi.spyOn(file, 'all')];
  return () => spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
}

it('finds the same in the same order', async () => {
  const db = await setUp();
  const read = readsOf(db);
  expect(await db.gather!(read)).toEqual(await read());
});

it('makes one statement of those that name an id or the first of an order', async () => {
  const db = await setUp();
  const all = db.collection(leaves);
  const reads = countReads(db);
  await db.gather!(() =>
    Promise.all([
      all.find({ branch: 1 }, { sort: { _id: -1 }, limit: 10 }).toArray(),
      all.findOne({ branch: 0 }, { sort: { _id: -1 } }),
      all.findOne({ _id: 2 }),
      all.findOne({ _id: 77 }),
    ]),
  );
  expect(reads()).toBe(1);
});

it('what comes after the first wait is read by itself, and so is what follows', async () => {
  const db = await setUp();
  const all = db.collection(leaves);
  const found = await db.gather!(async () => {
    const first = await all.findOne({ _id: 1 });
    return [first, await all.findOne({ _id: 2 })];
  });
  expect(found.map((one) => one?._id)).toEqual([1, 2]);
  expect((await all.findOne({ _id: 3 }))?._id).toBe(3);
});

it('may be gathered within others, and a refusal reaches each of them', async () => {
  const db = await setUp();
  const all = db.collection(leaves);
  const inner = () => db.gather!(() => all.findOne({ _id: 2 }));
  const [one, two] = await db.gather!(() => Promise.all([all.findOne({ _id: 1 }), inner()]));
  expect([one?._id, two?._id]).toEqual([1, 2]);
  vi.spyOn(db.file, 'get').mockImplementation(() => {
    throw new Error('no disk');
  });
  const results = await db.gather!(() => Promise.allSettled([all.findOne({ _id: 1 }), all.findOne({ _id: 2 })]));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
