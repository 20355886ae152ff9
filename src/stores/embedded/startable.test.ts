// What a start would refuse is found beforehand, and nothing is changed by looking.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { openTestDb, temporaryFolder } from '../../../test/support/embedded-db.ts';
import { appliedCollection } from '../migrations.ts';
import { requireStartable } from './startable.ts';

async function madeFolder(): Promise<string> {
  const folder = temporaryFolder();
  const db = openTestDb(folder);
  await db.collection(appliedCollection).insertOne({ _id: 3, name: 'the third', appliedAtUtc: new Date(0) });
  await db.close();
  return folder;
}

it('a folder that a start takes is fine, also beside the server that has it, and stays as it is', async () => {
  const folder = await madeFolder();
  const content = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]);
  requireStartable(folder, 3);
  const before = content();
  requireStartable(folder, 4);
  expect(content()).toEqual(before);
  openTestDb(folder);
  requireStartable(folder, 3);
  requireStartable(temporaryFolder(), 3);
});

it.each([
  ['PRAGMA user_version = 99', / was written by a newer version of Rivulet/],
  ["UPDATE rivulet_store SET id = 'another'", / is not the one that this folder had/],
  ['DROP TABLE rivulet_store', / is not the one that this folder had/],
])('%s is refused', async (change, why) => {
  const folder = await madeFolder();
  const file = new Database(join(folder, 'rivulet.db'));
  file.exec(change);
  file.close();
  expect(() => requireStartable(folder, 3)).toThrow(why);
});

it('a migration that is not known and a database that is gone are refused', async () => {
  const folder = await madeFolder();
  expect(() => requireStartable(folder, 2)).toThrow('The database is at version 3, this program knows 2.');
  rmSync(join(folder, 'rivulet.db'));
  expect(() => requireStartable(folder, 3)).toThrow(/ is not there, although this folder had one/);
});
