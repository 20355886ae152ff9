import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/embedded-db.ts';
import { Sqlite } from './sqlite.ts';
import { checkWal } from './wal-guard.ts';

it('leaves nothing of what was deleted on the disk once it is scrubbed', async () => {
  const path = join(temporaryFolder(), 'scrubbed.db');
  const sqlite = new Sqlite(path);
  sqlite.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)');
  const write = (text: string) => sqlite.write(() => sqlite.run('INSERT INTO notes (text) VALUES (?)', [text]));
  // One that fits a page, and one that takes several.
  for (const text of ['forgettable', 'forgettable '.repeat(2000)]) await write(text);
  await sqlite.write(() => sqlite.run('DELETE FROM notes'));
  await Promise.all([write('kept'), sqlite.scrub(), sqlite.scrub()]);
  const bytes = ['', '-wal'].map((end) => readFileSync(path + end).toString('latin1')).join('');
  expect(bytes).not.toContain('forgettable');
  await write('later');
  // The log is what was noted of it: a process that died now would start again.
  checkWal(path);
  await sqlite.close();
  const again = new Sqlite(path);
  expect(again.all('SELECT text FROM notes ORDER BY id')).toEqual([['kept'], ['later']]);
  await again.close();
});
