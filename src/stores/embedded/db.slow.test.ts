import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { openTestDb, temporaryFolder } from '../../../test/support/embedded-db.ts';
import { recordStatements } from '../../../test/support/query-plans.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { defineCollection } from '../../ports/db.ts';
import { lockFault, lockFolder } from './lock.ts';

interface Note {
  _id: number;
  text?: string;
  tags?: string[];
  atUtc?: Date;
}

const notes = defineCollection<Note>({
  name: 'notes',
  indexes: [{ keys: { text: 1 }, unique: true, sparse: true }, { keys: { tags: 1 } }],
});

it('has in no file what was deleted or overwritten, a minute later', async () => {
  const folder = temporaryFolder();
  const clock = new SimulatedClock();
  const db = openTestDb(folder, clock);
  const all = db.collection(notes);
  await all.insertMany([
    { _id: 1, text: 'forgettable' },
    { _id: 2, text: 'rewritten' },
  ]);
  await all.deleteOne({ _id: 1 });
  await all.updateOne({ _id: 2 }, { $set: { text: 'as it is now' } });
  const bytes = () =>
    ['', '-wal'].map((end) => readFileSync(join(folder, `rivulet.db${end}`)).toString('latin1')).join();
  expect(bytes()).toContain('forgettable');
  await clock.advance(60_000);
  await expect.poll(() => /forgettable|rewritten/.test(bytes())).toBe(false);
  expect(bytes()).toContain('as it is now');
});

it('counts every kind of write, and no read', async () => {
  const all = openTestDb(temporaryFolder()).collection(notes);
  const counts = [all.writes?.()];
  const each: (() => Promise<unknown>)[] = [
    () => all.insertOne({ _id: 1, text: 'one' }),
    () => all.insertMany([{ _id: 2, text: 'two' }]),
    () => all.updateOne({ _id: 1 }, { $set: { text: 'uno' } }),
    () => all.updateMany({}, { $set: { tags: ['x'] } }),
    () => all.replaceOne({ _id: 2 }, { _id: 2, text: 'due' }),
    () => all.findOneAndUpdate({ _id: 2 }, { $set: { text: 'duo' } }),
    () => all.findOneAndDelete({ _id: 2 }),
    () => all.deleteMany({}),
  ];
  for (const write of each) {
    await write();
    counts.push(all.writes?.());
    await all.find({ text: 'one' }).toArray();
    expect(all.writes?.()).toBe(counts.at(-1));
  }
  expect(new Set(counts).size, counts.join()).toBe(each.length + 1);
});

describe('the folder', () => {
  it('belongs to one process, which is named', () => {
    const folder = temporaryFolder();
    openTestDb(folder);
    expect(() => openTestDb(folder)).toThrow(`(pid ${process.pid}) uses the data folder ${folder}`);
  });

  it.each(['rivulet.lock', 'rivulet.pid', 'rivulet.lock-journal'])(
    'names nobody where %s cannot be written',
    (name) => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, name));
      const refused = expect.objectContaining({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining(`The data folder ${folder} cannot be used`),
      });
      expect(() => openTestDb(folder)).toThrow(refused);
      // The first attempt holds nothing.
      expect(() => openTestDb(folder)).toThrow(refused);
    },
  );

  it('says that its disk is full', () => {
    const fault = (code: string) => lockFault('/srv/data', Object.assign(new Error('no room'), { code }));
    for (const code of ['SQLITE_FULL', 'ENOSPC']) expect(fault(code).message).toBe('The disk of /srv/data is full.');
    expect(fault('SQLITE_BUSY').message).toBe('Another process uses the data folder /srv/data.');
  });

  it('is free again after close', async () => {
    const folder = temporaryFolder();
    await openTestDb(folder).close();
    expect(existsSync(join(folder, 'rivulet.pid'))).toBe(false);
    await openTestDb(folder).ping();
  });

  it('says of whom it was, who was killed', () => {
    const folder = temporaryFolder();
    const said: string[] = [];
    const log = { warn: (_: unknown, message: string) => void said.push(message) };
    lockFolder(folder, log as never)();
    expect(said).toEqual([]);
    writeFileSync(join(folder, 'rivulet.pid'), '4711\n');
    lockFolder(folder, log as never)();
    expect(said).toEqual([expect.stringMatching(/^the process before \(pid 4711\) did not stop in order/)]);
  });

  it('is made private', () => {
    const folder = join(temporaryFolder(), 'deep', 'data');
    openTestDb(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('with a file of a newer layout is refused', async () => {
    const folder = temporaryFolder();
    await openTestDb(folder).close();
    const file = new Database(join(folder, 'rivulet.db'));
    file.pragma('user_version = 99');
    file.close();
    expect(() => openTestDb(folder)).toThrow('newer version');
    expect(() => openTestDb(folder)).toThrow('newer version');
  });
});

describe('the file', () => {
  it('that is not a database is refused, and left as it is', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'rivulet.db');
    writeFileSync(path, 'not a database, '.repeat(100));
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(() => openTestDb(folder)).toThrow('could not be used');
      // Neither room on the disk nor a right to write makes a database of it.
      expect(() => openTestDb(folder)).toThrow(
        expect.objectContaining({ hint: expect.stringMatching(/^Restore a backup/) }),
      );
    }
    expect(readFileSync(path, 'utf8')).toBe('not a database, '.repeat(100));
  });

  it('keeps documents, indexes and what is known of arrays', async () => {
    const folder = temporaryFolder();
    const before = openTestDb(folder);
    await before.ensureIndexes([notes]);
    await before.collection(notes).insertMany([
      { _id: 1, text: 'a', tags: ['x', 'y'], atUtc: new Date(5) },
      { _id: 2, tags: [] },
    ]);
    await before.close();
    const after = openTestDb(folder).collection(notes);
    expect(await after.find({ tags: 'y' }).toArray()).toEqual([
      { _id: 1, text: 'a', tags: ['x', 'y'], atUtc: new Date(5) },
    ]);
    await expect(after.insertOne({ _id: 3, text: 'a' })).rejects.toMatchObject({ code: 'DUPLICATE' });
  });

  it('has what was written when close was called', async () => {
    const folder = temporaryFolder();
    const db = openTestDb(folder);
    const writes = Array.from({ length: 2000 }, (_, at) => db.collection(notes).insertOne({ _id: at }));
    await db.close();
    await Promise.all(writes);
    expect(await openTestDb(folder).collection(notes).countDocuments()).toBe(2000);
  });

  it('is not used after close', async () => {
    const db = openTestDb();
    const collection = db.collection(notes);
    await db.close();
    await expect(collection.insertOne({ _id: 1 })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(collection.findOne({ _id: 1 })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(db.ping()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('takes writes that are asked for at once in one commit', async () => {
    const logSize = async (write: (insert: (id: number) => Promise<unknown>) => Promise<unknown>) => {
      const folder = temporaryFolder();
      const collection = openTestDb(folder).collection(notes);
      const start = statSync(join(folder, 'rivulet.db-wal')).size;
      await write((_id) => collection.insertOne({ _id }));
      return statSync(join(folder, 'rivulet.db-wal')).size - start;
    };
    const ids = Array.from({ length: 64 }, (_, at) => at);
    const together = await logSize((insert) => Promise.all(ids.map(insert)));
    const apart = await logSize(async (insert) => {
      for (const id of ids) await insert(id);
    });
    expect(together).toBeLessThan(apart / 10);
  });
});

describe('expiry', () => {
  it('removes documents whose time is over, once a minute', async () => {
    const clock = new SimulatedClock();
    const db = openTestDb(temporaryFolder(), clock);
    const spec = defineCollection<Note>({ name: 'codes', indexes: [{ keys: { atUtc: 1 }, expireAfterSeconds: 60 }] });
    await db.ensureIndexes([spec]);
    const codes = db.collection(spec);
    const now = clock.now();
    await codes.insertMany([{ _id: 1, atUtc: new Date(now - 61_000) }, { _id: 2, atUtc: new Date(now) }, { _id: 3 }]);
    expect(await db.sweep()).toBe(1);
    await clock.advance(60_000);
    await expect.poll(() => codes.find().toArray()).toEqual([{ _id: 3 }]);
  });
});

describe('reading while writing', () => {
  it('a walk sees what was there, as it is when its turn comes', async () => {
    const collection = openTestDb().collection(notes);
    await collection.insertMany(Array.from({ length: 1000 }, (_, at) => ({ _id: at, text: 'old' })));
    const seen: Note[] = [];
    for await (const note of collection.find({ text: { $in: ['old', 'new'] } })) {
      if (note._id === 0) {
        await collection.deleteOne({ _id: 998 });
        await collection.updateOne({ _id: 999 }, { $set: { text: 'new' } });
        await collection.insertOne({ _id: 5000, text: 'old' });
      }
      seen.push(note);
    }
    expect(seen).toHaveLength(999);
    expect(seen.at(-1)).toEqual({ _id: 999, text: 'new' });
  });

  it('a walk respects skip and limit', async () => {
    const collection = openTestDb().collection(notes);
    await collection.insertMany(Array.from({ length: 1000 }, (_, at) => ({ _id: at })));
    const seen: number[] = [];
    for await (const { _id } of collection.find({}, { sort: { _id: -1 }, skip: 300, limit: 400 })) seen.push(_id);
    expect([seen.length, seen[0], seen.at(-1)]).toEqual([400, 699, 300]);
  });
});

describe('text on disk', () => {
  it('holds dates as milliseconds behind a mark, and escapes what looks like one', async () => {
    const folder = temporaryFolder();
    const db = openTestDb(folder);
    await db.collection(notes).insertOne({ _id: 1, text: '\u0001d5', atUtc: new Date(5) });
    await db.close();
    expect(readFileSync(join(folder, 'rivulet.db')).includes('\\u0001s\\u0001d5')).toBe(true);
    expect(await openTestDb(folder).collection(notes).findOne({ _id: 1 })).toEqual({
      _id: 1,
      text: '\u0001d5',
      atUtc: new Date(5),
    });
  });
});

describe('writes together', () => {
  const open = async () => {
    const db = openTestDb(temporaryFolder());
    await db.ensureIndexes([notes]);
    return {
      together: db.together!,
      found: () =>
        db
          .collection(notes)
          .find({}, { sort: { _id: 1 } })
          .toArray(),
    };
  };

  it('are all made, each seen by the next', async () => {
    const { together, found } = await open();
    const isChanged = await together((writer) => {
      writer.insert(notes, { _id: 1, text: 'a' });
      writer.update(notes, { _id: 2 }, { $set: { text: 'b' } }, { upsert: true });
      return writer.update(notes, { _id: 1, text: 'a' }, { $set: { text: 'c' } });
    });
    expect(isChanged).toBe(true);
    expect(await found()).toEqual([
      { _id: 1, text: 'c' },
      { _id: 2, text: 'b' },
    ]);
  });

  it('are all undone when one fails, and nothing builds on them', async () => {
    const { together, found } = await open();
    await together((writer) => writer.insert(notes, { _id: 1, text: 'a' }));
    const failing = together((writer) => {
      writer.update(notes, { _id: 1 }, { $set: { text: 'b' } });
      writer.insert(notes, { _id: 2, text: 'b' });
    });
    await expect(failing).rejects.toMatchObject({ code: 'DUPLICATE' });
    expect(await together((writer) => writer.update(notes, { _id: 1, text: 'b' }, { $set: { text: 'c' } }))).toBe(
      false,
    );
    expect(await found()).toEqual([{ _id: 1, text: 'a' }]);
  });

  it('remove all that match, and bring them back when a later one fails', async () => {
    const { together, found } = await open();
    await together((writer) => {
      for (const [at, text] of ['a', 'b', 'c'].entries()) writer.insert(notes, { _id: at + 1, text, tags: [text] });
    });
    const failing = together((writer) => {
      expect(writer.remove(notes, { _id: { $in: [1, 2] } })).toBe(2);
      writer.insert(notes, { _id: 4, text: 'c' });
    });
    await expect(failing).rejects.toMatchObject({ code: 'DUPLICATE' });
    expect(await found()).toHaveLength(3);
    const removed = await together((writer) => {
      const counts = [writer.remove(notes, { _id: { $in: [1, 2, 9] } }), writer.remove(notes, { tags: 'b' })];
      // What is removed is there no more for what follows.
      writer.insert(notes, { _id: 1, text: 'b' });
      return counts;
    });
    expect(removed).toEqual([2, 0]);
    expect(await found()).toEqual([
      { _id: 1, text: 'b' },
      { _id: 3, text: 'c', tags: ['c'] },
    ]);
  });
});

it('walks a unique order, whatever follows it', async () => {
  const db = openTestDb();
  const chain = defineCollection<{ _id: number; tenantId: number; seq: number }>({
    name: 'chain',
    indexes: [{ keys: { tenantId: 1, seq: -1 }, unique: true }, { keys: { tenantId: 1 } }],
  });
  await db.ensureIndexes([chain]);
  const entries = db.collection(chain);
  await entries.insertMany([3, 1, 2].map((seq) => ({ _id: 10 - seq, tenantId: 1, seq })));
  const recorded = recordStatements();
  const found = await entries.find({ tenantId: 1 }, { sort: { seq: -1, _id: -1 }, limit: 2 }).toArray();
  recorded.stop();
  expect(found.map(({ seq }) => seq)).toEqual([3, 2]);
  expect([...recorded.statements].filter((sql) => sql.includes('ORDER BY'))).toEqual([
    expect.stringContaining('"i_chain.tenantId_1_seq_-1" WHERE'),
  ]);
});
