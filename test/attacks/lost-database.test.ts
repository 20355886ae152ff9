// A database that is damaged, emptied or exchanged: the start is refused with a cure, and what is whole still starts.
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { silentLogger as logger } from '../../src/kernel/logger.ts';
import { defineCollection } from '../../src/ports/db.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';

const notes = defineCollection<{ _id: number; text: string }>({ name: 'notes' });
const files = ['rivulet.db', 'rivulet.db-wal', 'rivulet.db-synced', 'rivulet.store'];
const count = 300;

let crashed: string;
/** As a server leaves it that stops in order. */
let stopped: string;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-whole-'));
  crashed = await mkdtemp(join(tmpdir(), 'rivulet-crashed-'));
  const db = openEmbeddedDb({ folder, clock, logger });
  for (let at = 0; at < count; at += 10)
    await db
      .collection(notes)
      .insertMany(Array.from({ length: 10 }, (_, i) => ({ _id: at + i, text: 'x'.repeat(500) })));
  // What a process that is killed now leaves.
  for (const name of files) await copyFile(join(folder, name), join(crashed, name));
  await db.close();
  stopped = folder;
});
afterAll(async () => {
  for (const folder of [crashed, stopped]) await rm(folder, { recursive: true });
});

/** A copy of its own: a process goes on knowing a database that it had open. */
async function left(from = crashed): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-left-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of files) if (existsSync(join(from, name))) await copyFile(join(from, name), join(folder, name));
  return folder;
}

const start = (folder: string) => {
  const db = openEmbeddedDb({ folder, clock, logger });
  onTestFinished(() => db.close());
  return db;
};

async function flip(file: string, part: number): Promise<void> {
  const bytes = await readFile(file);
  const at = Math.floor(bytes.length * part);
  bytes[at] = bytes[at]! ^ 0xff;
  await writeFile(file, bytes);
}

describe('after a crash', () => {
  it('what is whole starts, again and again', async () => {
    const folder = await left();
    for (let time = 0; time < 2; time++) {
      const db = openEmbeddedDb({ folder, clock, logger });
      expect(await db.collection(notes).countDocuments()).toBe(count);
      await db.close();
    }
  });

  it('what another program has looked into starts', async () => {
    const folder = await left();
    const other = new Database(join(folder, 'rivulet.db'));
    other.exec('SELECT count(*) FROM d_notes');
    other.close();
    expect(existsSync(join(folder, 'rivulet.db-wal'))).toBe(false);
    expect(await start(folder).collection(notes).countDocuments()).toBe(count);
  });

  it.each<[string, (wal: string) => Promise<unknown>]>([
    ['a page that was changed', (wal) => flip(wal, 0.3)],
    ['a header that was changed', (wal) => flip(wal, 0)],
    ['half of it', async (wal) => truncate(wal, Math.floor((await readFile(wal)).length / 2))],
    ['nothing in it', (wal) => truncate(wal, 0)],
    ['no file', (wal) => rm(wal)],
  ])('a log with %s is refused, with a cure that works', async (_, harm) => {
    const folder = await left();
    await harm(join(folder, 'rivulet.db-wal'));
    expect(() => start(folder)).toThrow(
      expect.objectContaining({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringMatching(/lost writes that were acknowledged/),
        hint: expect.stringMatching(/restore a backup.*delete .*rivulet\.db-synced/),
      }),
    );
    await rm(join(folder, 'rivulet.db-synced'));
    await start(folder).ping();
  });
});

describe('a folder that had a database', () => {
  it.each<[string, (folder: string) => Promise<unknown>, RegExp]>([
    ['is empty', (folder) => truncate(join(folder, 'rivulet.db'), 0), /is empty/],
    ['is not there', (folder) => rm(join(folder, 'rivulet.db')), /is not there/],
    [
      'is another one',
      async (folder) => {
        const other = await mkdtemp(join(tmpdir(), 'rivulet-other-'));
        await openEmbeddedDb({ folder: other, clock, logger }).close();
        await copyFile(join(other, 'rivulet.db'), join(folder, 'rivulet.db'));
        await rm(other, { recursive: true });
      },
      /is not the one/,
    ],
  ])('is not opened when it %s', async (_, harm, message) => {
    const folder = await left(stopped);
    await harm(folder);
    const refused = { code: 'STORE_UNAVAILABLE', message: expect.stringMatching(message) };
    expect(() => start(folder)).toThrow(expect.objectContaining(refused));
    // Nothing was made in its place, so that it is refused the next time too.
    expect(() => start(folder)).toThrow(expect.objectContaining({ hint: expect.stringMatching(/Restore a backup/) }));
    await rm(join(folder, 'rivulet.store'));
    await start(folder).ping();
  });
});
