// No tree that an agent can make escapes its quota, outlives its deletion or lets anybody at what is not its own.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Sandbox } from '../../sandbox/commands/sandbox.ts';
import { deleteTree } from '../../sandbox/disk/delete-tree.ts';
import { Descent } from '../../sandbox/disk/descent.ts';
import { diskUsage } from '../../sandbox/disk/disk-usage.ts';
import { defaultLimits } from '../../sandbox/limits.ts';
import { FakeSandbox } from '../../sandbox/testing/fake-driver.ts';
import { readAnswers } from '../../sandbox/workspace/blobs.ts';
import { createFiles } from '../../sandbox/workspace/files.ts';
import { Workspaces } from '../../sandbox/workspace/workspaces.ts';
import { SimulatedClock } from '../../src/kernel/simulated-clock.ts';

const isLinux = process.platform === 'linux';
const user = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, isDedicated: false };
let home: string;
let root: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'rivulet-file-attacks-'));
  root = join(home, 'workspace');
  for (const folder of ['workspace', 'drafts']) mkdirSync(join(home, folder));
});
afterEach(() => deleteTree(home));
const filesOf = () => createFiles({ root, drafts: join(home, 'drafts'), user, fileBytes: 1e9, room: async () => 1e9 });

/** Descriptors of this process that are at or below a path; other files of the same process open and close theirs. */
const openBelow = (path: string): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path);
    } catch {
      return false;
    }
  }).length;

/** A chain of folders with a file at its end. */
async function plantDeep(levels: number, bytes: number): Promise<void> {
  const descent = (await Descent.open(root)) as Descent;
  for (let level = 0; level < levels; level++) {
    await mkdir(descent.at('deep-folder'));
    await descent.down('deep-folder');
  }
  await writeFile(descent.at('file'), Buffer.alloc(bytes));
  await descent.close();
}

describe.skipIf(!isLinux)('trees', () => {
  test('files behind paths of more than 4,096 characters are counted, listed up to there, and deleted', async () => {
    await plantDeep(500, 3_000_000);
    const { bytes, files } = await diskUsage(root);
    expect(files).toBe(501);
    expect(bytes).toBeGreaterThanOrEqual(3_000_000);
    const listed = await filesOf().list({ isRecursive: true });
    expect(listed.length).toBeGreaterThan(300);
    expect(Math.max(...listed.map(({ path }) => path.length))).toBeLessThanOrEqual(4096);
    await filesOf().remove('deep-folder', { isRecursive: true });
    expect(readdirSync(root)).toEqual([]);
  });

  test('a deep tree takes few descriptors, however it is reached', async () => {
    await plantDeep(340, 1);
    let most = 0;
    const descent = (await Descent.open(root)) as Descent;
    while (await descent.down('deep-folder')) most = Math.max(most, openBelow(root));
    await descent.close();
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThan(80);
    const path = Array.from({ length: 340 }, () => 'deep-folder').join('/');
    expect((await filesOf().readText(`${path}/file`)).sizeBytes).toBe(1);
    expect(openBelow(root)).toBe(0);
  });

  test('names that are no text, and folders closed to their owner, are counted and deleted', async () => {
    const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe, 0x61])]);
    mkdirSync(odd);
    writeFileSync(Buffer.concat([odd, Buffer.from('/inside')]), Buffer.alloc(100_000));
    mkdirSync(join(root, 'closed/inner'), { recursive: true });
    writeFileSync(join(root, 'closed/inner/file'), Buffer.alloc(100_000));
    for (const [folder, mode] of [
      ['closed/inner', 0o400],
      ['closed', 0],
    ] as const)
      chmodSync(join(root, folder), mode);
    const { bytes, files } = await diskUsage(root);
    expect(files).toBe(5);
    expect(bytes).toBeGreaterThanOrEqual(200_000);
    await deleteTree(root);
    expect(existsSync(root)).toBe(false);
  });

  test('deleting follows no link', async () => {
    writeFileSync(join(home, 'kept'), 'host');
    symlinkSync(home, join(root, 'out'));
    symlinkSync(join(home, 'kept'), join(root, 'file'));
    await deleteTree(root);
    expect(existsSync(join(home, 'kept'))).toBe(true);
  });
});

test('no way through links leads to the repository’s own pointer', async () => {
  const pointer = 'gitdir: /host/path\n';
  writeFileSync(join(root, '.git'), pointer);
  mkdirSync(join(root, 'sub/inner'), { recursive: true });
  const links = {
    self: '.',
    up: 'sub/..',
    direct: '.git',
    absolute: '/workspace',
    chained: 'self/self',
    caps: './.GIT',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  symlinkSync('../..', join(root, 'sub/inner/top'));
  symlinkSync('../self/.git', join(root, 'sub/pointer'));
  const files = filesOf();
  const ways = [
    ...['.git', './.git', '/workspace/.git', 'self/.git', 'self/self/.git', 'up/.git', 'direct', 'absolute/.git'],
    ...['chained/.git', 'caps', 'self/.GIT', 'sub/inner/top/.git', 'sub/pointer', 'self/direct', 'self/git~1'],
  ];
  for (const way of ways) {
    await expect(files.readText(way), way).rejects.toThrow();
    await expect(files.openBytes(way), way).rejects.toThrow();
    await expect(files.write(way, 'x'), way).rejects.toThrow();
  }
  for (const path of ['', 'self', 'absolute', 'sub/inner/top'])
    for (const isRecursive of [true, false]) {
      const listed = await files.list({ path, isRecursive }).catch(() => []);
      expect(listed.map(({ name }) => name)).not.toContain('.git');
    }
  // A link may be moved or deleted; what it leads to stays.
  for (const way of ways) {
    await files.move(way, `taken/${way.replaceAll(/\W/g, '-')}`).catch(() => {});
    await files.remove(way).catch(() => {});
  }
  expect(readFileSync(join(root, '.git'), 'utf8')).toBe(pointer);
});

test('many files at once end their command before the next count is due, and too many start none', async () => {
  const clock = new SimulatedClock();
  const driver = new FakeSandbox([root]);
  const limits = { ...defaultLimits, workspaceFiles: 100, commandTimeoutMs: 1e9, idleStopMs: 1e9 };
  const left = { bytes: 1e12, files: 1_000_000 };
  let glances = 0;
  const sandbox = new Sandbox(driver, { id: 'fake', workspace: root, limits, user }, clock, async () => {
    glances += 1;
    return { ...left };
  });
  const execution = await sandbox.exec({ argv: ['burst'], onOutput: () => {} });
  const advanced = async <Value>(value: () => Value): Promise<Value> => {
    // Time stands still while a paused sandbox is counted, however long the disk takes.
    await clock.advance(driver.calls.includes('pause') ? 0 : 1);
    return value();
  };
  // A look passes a millisecond of the clock.
  const often = { interval: 1 };
  // The first count is over then.
  await expect.poll(() => advanced(() => glances), often).toBe(2);
  const begin = clock.now();
  for (let index = 0; index < 250; index++) writeFileSync(join(root, `file-${index}`), '');
  writeFileSync(join(root, 'sparse'), '');
  truncateSync(join(root, 'sparse'), 4 * 2 ** 30);
  left.files -= 251;
  // Far less than the shortest time between two counts.
  await expect.poll(() => advanced(() => sandbox.running), often).toBe(0);
  expect(clock.now() - begin).toBeLessThan(240);
  expect(await execution.result).toMatchObject({ endedBy: 'workspace-limit' });
  expect(driver.calls).toContain('pause');
  await expect(sandbox.exec({ argv: ['more'], onOutput: () => {} })).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  await deleteTree(join(root, 'sparse'));
  await sandbox.exec({ argv: ['again'], onOutput: () => {} });
  await sandbox.destroy();
});

test('uploads at the same time share what is left of the quota', async () => {
  const drafts = join(home, 'drafts');
  const quota = 40 * 1024 * 1024;
  const room = async () => quota - (await diskUsage(root)).bytes - (await diskUsage(drafts)).bytes;
  const files = createFiles({ root, drafts, user, fileBytes: 1e9, room });
  const chunk = Buffer.alloc(1024 * 1024, 1);
  const upload = async function* () {
    for (let index = 0; index < 36; index++) yield chunk;
  };
  const all = await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => files.write(name, upload())));
  expect(all.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(3);
  expect((await diskUsage(root)).bytes).toBeLessThanOrEqual(quota);
});

test('an object is passed on in the pieces that it came in: nothing is put together or copied', async () => {
  const piece = Buffer.alloc(64 * 1024, 7);
  const size = piece.length * 400;
  const output = async function* () {
    yield Buffer.from(`${'a'.repeat(40)} blo`);
    yield Buffer.from(`b ${size}\n`);
    for (let index = 0; index < 400; index++) yield piece;
    yield Buffer.from(`\n${'b'.repeat(40)} blob 3\nend\n`);
  };
  const answers = readAnswers(output());
  expect(await answers.line()).toBe(`${'a'.repeat(40)} blob ${size}`);
  let bytes = 0;
  for await (const passed of answers.content(size)) {
    expect((passed as Buffer).buffer).toBe(piece.buffer);
    bytes += passed.length;
  }
  expect(bytes).toBe(size);
  expect(await answers.line()).toBe(`${'b'.repeat(40)} blob 3`);
  const last: Uint8Array[] = [];
  for await (const passed of answers.content(3)) last.push(passed);
  expect(Buffer.concat(last).toString()).toBe('end');
});

test('a tree that can’t be deleted stops neither the others nor the packing of stores', async () => {
  const workspaces = new Workspaces({ directory: home, clock: new SimulatedClock() });
  const trees = join(home, 'trees');
  for (const name of ['run-1.gone-a', 'run-2.gone-b', 'run-3.gone-c'])
    mkdirSync(join(trees, name), { recursive: true });
  // What the system itself keeps: a mount point could be one; here a folder whose name can't be looked up any more.
  const stuck = join(trees, 'run-2.gone-b');
  const descent = Descent.open;
  Descent.open = async (path, options) => {
    if (path === stuck) throw new Error('The disk says no.');
    return descent.call(Descent, path, options);
  };
  try {
    await expect(workspaces.clearLeftovers()).rejects.toThrow('1 of 3');
  } finally {
    Descent.open = descent;
  }
  expect(readdirSync(trees)).toEqual(['run-2.gone-b']);
});
