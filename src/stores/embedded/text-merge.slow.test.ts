import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTestDb, temporaryFolder } from '../../../test/support/embedded-db.ts';
import { defineCollection } from '../../ports/db.ts';

interface Note {
  _id: number;
  text: string;
}
const notes = defineCollection<Note>({ name: 'notes', indexes: [], texts: ['text'] });
const note = (id: number): Note => ({ _id: id, text: `${id} zqj ${'nothing much else '.repeat(40)}` });

async function open(folder = temporaryFolder()) {
  const db = openTestDb(folder);
  await db.ensureIndexes([notes]);
  const indexBytes = () => db.file.get('SELECT sum(length(block)) FROM "f_notes.k0_data"')![0] as number;
  const marked = () => db.file.all('SELECT texts, merging FROM rivulet_unmerged');
  const sound = () => db.file.exec(`INSERT INTO "f_notes.k0" ("f_notes.k0", rank) VALUES ('integrity-check', 1)`);
  const found = (text: string) => db.collection(notes).countDocuments({ text: { $regex: text, $options: 'i' } });
  return { db, folder, all: db.collection(notes), indexBytes, marked, sound, found };
}

it('an index of text gives back the space of what was deleted, and its words', async () => {
  const { db, folder, all, indexBytes, marked, sound, found } = await open();
  await all.insertMany(Array.from({ length: 2000 }, (_, at) => note(at)));
  expect(marked()).toEqual([]);
  const full = indexBytes();
  await all.deleteMany({ _id: { $gte: 20 } });
  await all.updateMany({}, { $set: { text: 'what stays' } });
  expect(marked()).toEqual([['notes.k0', 0]]);
  await db.reclaim?.();
  await db.scrub?.();
  expect(indexBytes()).toBeLessThan(full / 50);
  expect(marked()).toEqual([]);
  const bytes = ['', '-wal'].map((end) => readFileSync(join(folder, `rivulet.db${end}`)).toString('latin1')).join('');
  expect(bytes).not.toContain('zqj');
  sound();
  expect([await found('what STAYS'), await found('zqj')]).toEqual([20, 0]);
  // What only grows is not merged again and again.
  await all.insertOne(note(5000));
  expect(marked()).toEqual([]);
});

it('a merge that was broken off is made anew, and so is an index of an earlier version', async () => {
  const first = await open();
  await first.all.insertMany(Array.from({ length: 2000 }, (_, at) => note(at)));
  const full = first.indexBytes();
  await first.all.deleteMany({ _id: { $gte: 1000 } });
  const stop = new AbortController();
  stop.abort();
  await first.db.reclaim?.(stop.signal);
  expect(first.marked()).toEqual([['notes.k0', 1]]);
  for (const kind of ['unmerged', 'overwritten']) first.db.file.exec(`DROP TRIGGER "t_notes.k0.${kind}"`);
  first.db.file.exec('DELETE FROM rivulet_unmerged');
  await first.db.close();

  const { db, all, indexBytes, marked, sound } = await open(first.folder);
  expect(marked()).toEqual([['notes.k0', 0]]);
  await all.deleteMany({});
  await db.reclaim?.();
  expect(indexBytes()).toBeLessThan(full / 50);
  sound();
});
