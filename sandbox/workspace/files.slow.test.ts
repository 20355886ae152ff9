import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFiles, type Files } from './files.ts';

let home: string;
let root: string;
let drafts: string;
let files: Files;
const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, isDedicated: false };

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'rivulet-files-'));
  root = join(home, 'workspace');
  drafts = join(home, 'drafts');
  for (const folder of [root, drafts]) mkdirSync(folder);
  writeFileSync(join(home, 'secret'), 'host secret');
  files = createFiles({ root, drafts, user, fileBytes: 10_000, room: async () => 20_000 });
});
afterEach(() => rmSync(home, { recursive: true }));

const code = (code: string) => expect.objectContaining({ code });
async function text(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('write, read, list, move and delete', async () => {
  const written = await files.write('src/deep/a.ts', 'export {};\n');
  expect(written).toMatchObject({ path: 'src/deep/a.ts', name: 'a.ts', sizeBytes: 11, mimeType: 'text/plain' });
  expect((await files.readText('/workspace/src/./deep/a.ts')).text).toBe('export {};\n');
  expect((await files.list()).map(({ path, isDirectory }) => [path, isDirectory])).toEqual([['src', true]]);
  expect((await files.list({ isRecursive: true, glob: 'src/**/*.ts' })).map(({ path }) => path)).toEqual([
    'src/deep/a.ts',
  ]);
  expect(await files.move('src/deep', 'lib')).toMatchObject({ path: 'lib', isDirectory: true });
  await expect(files.remove('lib')).rejects.toEqual(code('CONFLICT'));
  await files.remove('lib', { isRecursive: true });
  await expect(files.info('lib')).rejects.toEqual(code('NOT_FOUND'));
  await expect(files.list({ path: 'lib' })).rejects.toEqual(code('NOT_FOUND'));
});

test('nothing of a file is in the workspace before it is whole, so that a server that dies leaves nothing there', async () => {
  await files.write('src/a.txt', 'old');
  const seen: string[][] = [];
  async function* content() {
    yield Buffer.from('new ');
    seen.push(readdirSync(join(root, 'src')), readdirSync(root));
    yield Buffer.from('words');
  }
  await files.write('src/a.txt', content());
  expect(seen).toEqual([['a.txt'], ['src']]);
  expect((await files.readText('src/a.txt')).text).toBe('new words');
  const broken = async function* () {
    yield Buffer.from('x');
    throw new Error('the client left');
  };
  await expect(files.write('b.txt', broken())).rejects.toThrow('the client left');
  expect([readdirSync(root), readdirSync(drafts)]).toEqual([['src'], []]);
});

test('an ETag changes with the file and guards a write', async () => {
  const first = await files.write('a.txt', 'one');
  expect((await files.info('a.txt')).etag).toBe(first.etag);
  const second = await files.write('a.txt', 'two', { expectedEtag: first.etag ?? '' });
  expect(second.etag).not.toBe(first.etag);
  await expect(files.write('a.txt', 'three', { expectedEtag: first.etag ?? '' })).rejects.toEqual(
    code('PRECONDITION_FAILED'),
  );
  await expect(files.write('b.txt', 'x', { expectedEtag: '*' })).rejects.toEqual(code('PRECONDITION_FAILED'));
  await expect(files.write('a.txt', 'x', { createsOnly: true })).rejects.toEqual(code('CONFLICT'));
  expect((await files.readText('a.txt')).text).toBe('two');
});

test('text is cut between characters; binary files have none', async () => {
  await files.write('long.txt', 'äöü');
  expect(await files.readText('long.txt', 3)).toMatchObject({ text: 'ä', truncated: true, sizeBytes: 6 });
  await files.write('blob', Uint8Array.of(1, 0, 2));
  expect(await files.readText('blob')).toMatchObject({ isBinary: true, text: null, truncated: false });
  expect(await files.info('blob')).toMatchObject({ isBinary: true, mimeType: 'application/octet-stream' });
});

test('downloads take ranges, also from the end', async () => {
  await files.write('a.txt', '0123456789');
  const read = async (range?: { start?: number; end?: number }) => text((await files.openBytes('a.txt', range)).body);
  expect(await read()).toBe('0123456789');
  expect(await read({ start: 2, end: 4 })).toBe('234');
  expect(await read({ start: 8 })).toBe('89');
  expect(await read({ end: 3 })).toBe('789');
  expect(await read({ start: 5, end: 99 })).toBe('56789');
  await expect(files.openBytes('a.txt', { start: 10 })).rejects.toMatchObject({ status: 416 });
  await files.write('empty', '');
  expect(await text((await files.openBytes('empty')).body)).toBe('');
});

test.runIf(process.platform === 'linux')('a download lets go of its file, however little of it is read', async () => {
  await files.write('a.txt', '0123456789');
  const path = join(root, 'a.txt');
  const handles = () => readdirSync('/proc/self/fd').filter((fd) => isOpenAt(fd, path)).length;
  const unread = (await files.openBytes('a.txt')).body;
  expect(handles()).toBe(1);
  await unread.return(undefined);
  expect(handles()).toBe(0);
  for await (const _ of (await files.openBytes('a.txt')).body) break;
  expect(handles()).toBe(0);
});

function isOpenAt(fd: string, path: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === path;
  } catch {
    return false;
  }
}

test('what does not fit is not written, not even in part', async () => {
  await expect(files.write('big', Buffer.alloc(10_001))).rejects.toEqual(code('QUOTA_EXCEEDED'));
  async function* endless() {
    for (;;) yield Buffer.alloc(1000);
  }
  await expect(files.write('endless', endless())).rejects.toEqual(code('QUOTA_EXCEEDED'));
  expect(readdirSync(root)).toEqual([]);
});

test.each([
  '../secret',
  'a/../../secret',
  '/../secret',
  '/workspace/../secret',
  '.git',
  '.git/config',
  '.GIT/x',
  'a\0b',
  '',
])('the path “%s” is refused where it would be written', async (path) => {
  await expect(files.write(path, 'x')).rejects.toEqual(code('VALIDATION_FAILED'));
  await expect(files.move('a', path)).rejects.toEqual(code('VALIDATION_FAILED'));
  await expect(files.remove(path)).rejects.toEqual(code('VALIDATION_FAILED'));
  expect(readFileSync(join(home, 'secret'), 'utf8')).toBe('host secret');
});

test('no operation follows a link out of the workspace', async () => {
  symlinkSync(join(home, 'secret'), join(root, 'file-link'));
  symlinkSync(home, join(root, 'folder-link'));
  symlinkSync('../secret', join(root, 'up-link'));
  symlinkSync('folder-link', join(root, 'chain'));
  symlinkSync('loop', join(root, 'loop'));
  for (const path of ['file-link', 'folder-link/secret', 'up-link', 'chain/secret', 'loop', 'loop/x']) {
    await expect(files.readText(path)).rejects.toEqual(expect.objectContaining({ status: expect.any(Number) }));
    await expect(files.openBytes(path)).rejects.toThrow();
    await expect(files.write(path, 'overwritten')).rejects.toThrow();
  }
  for (const path of ['folder-link/secret', 'chain/secret']) await expect(files.remove(path)).rejects.toThrow();
  await expect(files.move('folder-link/secret', 'stolen')).rejects.toThrow();
  await expect(files.list({ path: 'folder-link' })).rejects.toThrow();
  expect(await files.list({ isRecursive: true })).toEqual([]);
  expect(readFileSync(join(home, 'secret'), 'utf8')).toBe('host secret');
  await files.remove('folder-link', { isRecursive: true });
  expect(lstatSync(join(root, 'folder-link'), { throwIfNoEntry: false })).toBeUndefined();
  expect(existsSync(join(home, 'secret'))).toBe(true);
});

test('links that stay inside are followed for reading', async () => {
  await files.write('reports/1.md', 'first');
  symlinkSync('reports/1.md', join(root, 'latest.md'));
  symlinkSync('/workspace/reports', join(root, 'by-name'));
  symlinkSync('../reports/../latest.md', join(root, 'reports/back'));
  for (const path of ['latest.md', 'by-name/1.md', 'reports/back']) {
    expect((await files.readText(path)).text).toBe('first');
  }
  await files.write('by-name/2.md', 'second');
  expect(readFileSync(join(root, 'reports/2.md'), 'utf8')).toBe('second');
});

test('a pipe in the workspace blocks nobody', async (context) => {
  const { error } = spawnSync('mkfifo', [join(root, 'pipe')]);
  if (error) context.skip('there is no mkfifo');
  await expect(files.readText('pipe')).rejects.toEqual(code('VALIDATION_FAILED'));
  await expect(files.write('pipe', 'x')).rejects.toEqual(code('CONFLICT'));
  expect(await files.list()).toEqual([]);
});

test('the operations agree with a model of a file tree', async () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const step = fc.oneof(
    fc.record({ do: fc.constant('write' as const), path, content: fc.string({ maxLength: 5 }) }),
    fc.record({ do: fc.constant('remove' as const), path }),
    fc.record({ do: fc.constant('move' as const), path, to: path }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const here = mkdtempSync(join(home, 'model-'));
      const tree = createFiles({ root: here, drafts, user, fileBytes: 100, room: async () => 1e6 });
      const model = new Map<string, string>();
      for (const one of steps) {
        const isFolder = (path: string) => [...model.keys()].some((key) => key.startsWith(`${path}/`));
        if (one.do === 'write') {
          const wrote = await tree.write(one.path, one.content).then(
            () => true,
            () => false,
          );
          if (wrote) model.set(one.path, one.content);
        } else if (one.do === 'remove') {
          const gone = await tree.remove(one.path, { isRecursive: true }).then(
            () => true,
            () => false,
          );
          if (!gone && (model.has(one.path) || isFolder(one.path))) throw new Error(`${one.path} should be removable`);
          for (const key of [...model.keys()])
            if (gone && (key === one.path || key.startsWith(`${one.path}/`))) model.delete(key);
        } else if (
          await tree.move(one.path, one.to).then(
            () => true,
            () => false,
          )
        ) {
          for (const [key, content] of [...model]) {
            if (key !== one.path && !key.startsWith(`${one.path}/`)) continue;
            model.delete(key);
            model.set(one.to + key.slice(one.path.length), content);
          }
        }
      }
      const found = (await tree.list({ isRecursive: true })).filter((entry) => !entry.isDirectory);
      expect(found.map((entry) => entry.path).sort()).toEqual([...model.keys()].sort());
      for (const [key, content] of model) expect((await tree.readText(key)).text).toBe(content);
    }),
    { numRuns: 30 },
  );
});
