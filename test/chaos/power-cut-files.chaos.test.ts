// The power cut when something is finished that is files alone: they are whole afterwards.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Workspaces } from '../../sandbox/workspace/workspaces.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { makeLastingFile } from '../../src/kernel/lasting-file.ts';
import { createSiteFolders } from '../../src/sites/folders.ts';
import { backUp } from '../../src/stores/backup/back-up.ts';
import { restore } from '../../src/stores/backup/restore.ts';
import { type LosableDisk, losableDisk } from '../support/losable-disk.ts';

const files = 200;
let disk: LosableDisk;
beforeEach(({ skip }) => {
  const made = losableDisk(100);
  if (!made) return skip('no file system can be mounted here');
  disk = made;
  onTestFinished(() => disk.remove());
});

function cutPower(): void {
  disk.cut();
  disk.restore();
}

const contentOf = (at: number) => `content of ${at}\n`.repeat(100);
const fill = (folder: string) => {
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < files; at++) writeFileSync(join(folder, `${at}.txt`), contentOf(at));
};
const read = (folder: string) =>
  Array.from({ length: files }, (_, at) => readFileSync(join(folder, `${at}.txt`), 'utf8'));
const expected = Array.from({ length: files }, (_, at) => contentOf(at));

it('a backup, and the folder that it is restored into', async () => {
  const dataFolder = join(disk.folder, 'data');
  fill(join(dataFolder, 'sandbox/workspaces'));
  makeLastingFile(join(dataFolder, 'secret'), 'x'.repeat(40));
  const target = join(disk.folder, 'backup');
  await backUp({ dataFolder, target, withoutDatabase: true, secretElsewhere: false, version: '1', now: 0 });
  cutPower();
  const restored = join(disk.folder, 'restored');
  expect((await restore({ backup: target, dataFolder: restored })).entries.length).toBeGreaterThan(files);
  cutPower();
  expect(read(join(restored, 'sandbox/workspaces'))).toEqual(expected);
  expect(readFileSync(join(restored, 'secret'), 'utf8')).toBe('x'.repeat(40));
});

it('a published site', async () => {
  const sites = createSiteFolders(join(disk.folder, 'sites'));
  const folder = await sites.begin(1, 1);
  fill(folder);
  await sites.publish(1, folder);
  cutPower();
  expect(await sites.current(1)).toBe(folder);
  expect(read(folder)).toEqual(expected);
});

it('the objects of a checkpoint that was broken off, which the next one takes', async () => {
  const open = () =>
    new Workspaces({ directory: join(disk.folder, 'sandbox'), clock: systemClock }).open({
      store: 'one',
      key: 'run-1',
    });
  const author = { name: 'run-1', email: 'run-1@rivulet.invalid' };
  const before = await open();
  fill(before.directory);
  execFileSync('sync', ['-f', before.directory]);
  const objects = join(before.store.directory, 'objects');
  const broken = before.checkpoint('Broken off', author).catch(() => null);
  await expect.poll(() => readdirSync(objects).length, { interval: 1 }).toBeGreaterThan(20);
  // As the database syncs its own: names are on the disk by that, and what they name is not.
  writeFileSync(join(disk.folder, 'other'), 'synced', { flush: true });
  disk.cut();
  await broken;
  disk.restore();
  const after = await open();
  const { sha } = await after.checkpoint('Made again', author);
  execFileSync('git', [`--git-dir=${after.store.directory}`, 'fsck', '--strict', sha]);
  expect(read(after.directory)).toEqual(expected);
});
