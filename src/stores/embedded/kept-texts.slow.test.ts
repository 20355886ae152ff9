import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { defineCollection, type KeptSpec } from '../../ports/db.ts';
import { openEmbeddedDb } from './db.ts';

interface Doc {
  _id: number;
  bookId: number | null;
  text: string;
  at?: Date;
}
const books = defineCollection<Doc>({ name: 'books', indexes: [{ keys: { bookId: 1 } }] });
const pages = defineCollection<Doc>({
  name: 'pages',
  indexes: [{ keys: { bookId: 1 } }],
  rollups: [{ per: { path: 'at', ms: 1000 }, by: ['bookId'], sums: [] }],
});
const spec = (format = 'first'): KeptSpec => ({
  name: 'covers',
  format,
  madeOf: [
    { collection: books, field: '_id', is: 'id' },
    { collection: pages, field: 'bookId', is: 'id' },
    { collection: pages, field: '_id', is: 'group' },
  ],
});

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'rivulet-kept-'));
  const clock = new SimulatedClock();
  let db = openEmbeddedDb({ folder, clock, logger: silentLogger, sync: null });
  onTestFinished(async () => {
    await db.close();
    rmSync(folder, { recursive: true });
  });
  const open = async (format?: string) => {
    await db.ensureIndexes([books, pages]);
    return db.keptTexts!<{ shelf: number }>(spec(format));
  };
  const reopen = async (format?: string) => {
    await db.close();
    db = openEmbeddedDb({ folder, clock, logger: silentLogger, sync: null });
    return open(format);
  };
  const tables = () =>
    db.file
      .all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'c_*' ORDER BY 1")
      .map(([name]) => name);
  return { clock, db: () => db, open, reopen, tables };
}
const made =
  (text: string, shelf = 1) =>
  async () => ({ facts: { shelf }, text });

it('a text outlives a restart, with any letter and any length', async () => {
  const { open, reopen } = setUp();
  const texts = ['', 'plain', 'Grüße ✓ 🙂 \u0001', 'x'.repeat(300_000)];
  const kept = await open();
  for (const [id, text] of texts.entries()) expect(await kept.keep(id, 7, made(text, id))).toBe(true);
  const again = await reopen();
  // The third time is from memory.
  for (let time = 0; time < 3; time++)
    for (const [id, text] of texts.entries()) expect(again.find(id)).toEqual({ facts: { shelf: id }, text });
  expect(again.find(99)).toBeNull();
  expect(await again.keep(99, 7, async () => null)).toBe(false);
});

it('a write of what a text is made of drops it, in memory and after a restart, and no other', async () => {
  const { db, open, reopen } = setUp();
  const kept = await open();
  const book = (_id: number) => ({ _id, bookId: null, text: 'a' });
  await db()
    .collection(books)
    .insertMany([book(1), book(2), book(3)]);
  await db()
    .collection(pages)
    .insertMany([
      { _id: 70, bookId: 2, text: 'p' },
      { _id: 71, bookId: null, text: 'q' },
    ]);
  const fill = async () => {
    for (const id of [1, 2, 3]) {
      await kept.keep(id, 70 + id, made(`${id}`));
      kept.find(id);
      kept.find(id);
    }
  };
  const left = () => [1, 2, 3].filter((id) => kept.find(id) !== null);
  const writes: [() => Promise<unknown>, number[]][] = [
    [
      () =>
        db()
          .collection(books)
          .updateOne({ _id: 1 }, { $set: { text: 'b' } }),
      [2, 3],
    ],
    [
      () =>
        db()
          .collection(books)
          .updateOne({ _id: 1 }, { $set: { text: 'b' } }),
      [1, 2, 3],
    ],
    [() => db().collection(pages).insertOne({ _id: 80, bookId: 3, text: 'p' }), [1, 2]],
    [
      () =>
        db()
          .collection(pages)
          .updateOne({ _id: 80 }, { $set: { bookId: 1 } }),
      [2],
    ],
    [
      () =>
        db()
          .collection(pages)
          .updateOne({ _id: 71 }, { $set: { text: 'r' } }),
      [2, 3],
    ],
    [() => db().collection(pages).deleteOne({ _id: 80 }), [2, 3]],
    [() => db().collection(books).deleteOne({ _id: 2 }), [1, 3]],
    [() => db().collection(pages).insertOne({ _id: 90, bookId: 9, text: 'p' }), [1, 2, 3]],
  ];
  for (const [at, [write, expected]] of writes.entries()) {
    await fill();
    await write();
    expect([at, left()]).toEqual([at, expected]);
  }
  const again = await reopen();
  expect([1, 2, 3].filter((id) => again.find(id) !== null)).toEqual([1, 2, 3]);
});

it('a write that fails drops nothing, and one that is made with a text drops it', async () => {
  const { db, open } = setUp();
  const kept = await open();
  await db().collection(books).insertOne({ _id: 1, bookId: null, text: 'a' });
  await kept.keep(1, 7, made('one'));
  await expect(
    db().together!((writer) => {
      writer.update(books, { _id: 1 }, { $set: { text: 'b' } });
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(kept.find(1)?.text).toBe('one');
  await Promise.all([
    kept.keep(1, 7, made('two')),
    db()
      .collection(books)
      .updateOne({ _id: 1 }, { $set: { text: 'c' } }),
  ]);
  expect(kept.find(1)).toBeNull();
});

it('documents that are only rolled up drop nothing', async () => {
  const { db, open } = setUp();
  const kept = await open();
  const page = (_id: number) => ({ _id, bookId: 1, text: 'p', at: new Date(_id) });
  await db()
    .collection(pages)
    .insertMany(Array.from({ length: 300 }, (_, at) => page(at + 1)));
  await kept.keep(1, 7, made('one'));
  // The newest 400 are counted by themselves; with these all before them are rolled up.
  const others = Array.from({ length: 900 }, (_, at) => ({ ...page(at + 1000), bookId: 2 }));
  for (const one of others) await db().collection(pages).insertOne(one);
  expect(db().file.get('SELECT count(*) FROM d_pages WHERE rolled = 1 AND k0 = 1')).not.toEqual([0]);
  expect(kept.find(1)?.text).toBe('one');
});

it('texts of another format are not found, and go some at a time with the next sweeps', async () => {
  const { db, clock, open, reopen, tables } = setUp();
  const kept = await open();
  await Promise.all(Array.from({ length: 450 }, (_, at) => kept.keep(at + 1, 7, made(`${at + 1}`))));
  const second = await reopen('second');
  expect(second.find(1)).toBeNull();
  await second.keep(1, 7, made('anew'));
  const third = await reopen('third');
  expect(tables()).toEqual(['c_covers', 'c_covers.former0', 'c_covers.former1']);
  expect(third.find(1)).toBeNull();
  await third.keep(1, 7, made('again'));
  await clock.advance(60_000);
  await expect.poll(tables).toEqual(['c_covers']);
  expect(third.find(1)?.text).toBe('again');
  expect(db().file.get('SELECT count(*) FROM rivulet_kept')).toEqual([1]);
});

it('texts that lost their triggers are not trusted', async () => {
  const { db, open, reopen } = setUp();
  const kept = await open();
  await kept.keep(1, 7, made('one'));
  const [name] = db().file.get("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB 't_pages.kept*'")!;
  db().file.exec(`DROP TRIGGER "${name}"`);
  expect((await reopen()).find(1)).toBeNull();
});

it('a field without an index is refused', async () => {
  const { db, open } = setUp();
  await open();
  const madeOf = [{ collection: pages, field: 'text', is: 'id' as const }];
  expect(() => db().keptTexts!({ name: 'others', format: '', madeOf })).toThrow('pages has no index of text');
});
