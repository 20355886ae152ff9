// Restoring into what containers and disks of their own have in the place of a data folder: volumes, with others below.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../test/support/embedded-db.ts';
import { makeDataFolder } from '../../kernel/kept-secret.ts';
import { backUp } from './back-up.ts';
import { restore } from './restore.ts';

const files = {
  secret: 'x'.repeat(40),
  'sandbox/workspaces/trees/run-1/note.md': 'A note.',
  'sandbox/workspaces/trees/run-1/large.txt': 'large '.repeat(20_000),
  'sandbox/output/run-1/0.log': 'Said.',
  'sites/1/index.html': '<p>Hello.</p>',
};

let folder: string;
let backup: string;
beforeEach(async () => {
  folder = temporaryFolder();
  backup = join(folder, 'backup');
  const dataFolder = join(folder, 'before');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dataFolder, path)), { recursive: true });
    writeFileSync(join(dataFolder, path), text);
  }
  symlinkSync('note.md', join(dataFolder, 'sandbox/workspaces/trees/run-1/link'));
  await backUp({ dataFolder, target: backup, withoutDatabase: true, secretElsewhere: false, version: '1', now: 0 });
});

/** Mounts a file system of its own at a folder; false where nothing may be mounted. */
function mount(at: string, size = '8m'): boolean {
  mkdirSync(at, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', at], { stdio: 'ignore' });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync('umount', [at]));
  return true;
}

const read = (data: string) =>
  Object.fromEntries(Object.keys(files).map((path) => [path, readFileSync(join(data, path), 'utf8')]));
/** Everything in a folder that is no folder. */
const filesIn = (data: string) =>
  readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((one) => !one.isDirectory())
    .map(({ name }) => name);

const taken = () => ({ secretElsewhere: false, documentsElsewhere: false, expected: [] });

describe('a backup is restored', () => {
  it('into a volume with others below, as an image prepares them', async ({ skip }) => {
    const data = join(folder, 'data');
    const parts = [data, join(data, 'sandbox/workspaces'), join(data, 'sites')];
    skip(!parts.every((at) => mount(at)), 'no file system can be mounted here');
    for (const left of ['lost+found', 'sandbox/output', 'sandbox/workspaces/lost+found'])
      mkdirSync(join(data, left), { recursive: true });
    await restore({ backup, dataFolder: data });
    expect(read(data)).toEqual(files);
    expect(readFileSync(join(data, 'sandbox/workspaces/trees/run-1/link'), 'utf8')).toBe('A note.');
    expect(readdirSync(data).sort()).toEqual(['lost+found', 'sandbox', 'secret', 'sites']);
    makeDataFolder(data, taken());
  });

  it('not at all where one of them lacks the room', async ({ skip }) => {
    const data = join(folder, 'data');
    skip(![mount(data), mount(join(data, 'sandbox/workspaces'), '64k')].every(Boolean), 'nothing can be mounted here');
    await expect(restore({ backup, dataFolder: data })).rejects.toThrow(/could not be restored: .*ENOSPC/);
    expect(filesIn(data)).toEqual([]);
    makeDataFolder(data, taken());
  });
});

describe('a restore that broke off', () => {
  it('keeps servers and other restores out of the folder', async () => {
    const data = join(folder, 'data');
    mkdirSync(join(data, 'rivulet.restoring-abc'), { recursive: true });
    await expect(restore({ backup, dataFolder: data })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('broke off'),
      hint: 'Empty the folder, then restore again.',
    });
    expect(() => makeDataFolder(data, taken())).toThrow('broke off, or is still at work');
    expect(existsSync(join(data, 'secret'))).toBe(false);
  });
});
