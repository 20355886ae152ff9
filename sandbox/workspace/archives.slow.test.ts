import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { createFiles, type Files } from './files.ts';
import { type ArchiveFormat, packFolder } from './pack.ts';
import { unpackInto } from './unpack.ts';

let root: string;
let drafts: string;
let files: Files;
const user = { uid: 0, gid: 0, isDedicated: false };
const limits = { bytes: 1_000_000, files: 100 };
const make = (folder: string) => createFiles({ root: folder, drafts, user, fileBytes: 1e6, room: async () => 1e6 });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rivulet-archives-'));
  drafts = mkdtempSync(join(tmpdir(), 'rivulet-drafts-'));
  files = make(root);
});
afterEach(() => {
  for (const folder of [root, drafts]) rmSync(folder, { recursive: true });
});

async function bytes(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}
async function* stream(content: Uint8Array) {
  for (let at = 0; at < content.length; at += 1000) yield content.subarray(at, at + 1000);
}
const unpack = (format: ArchiveFormat, content: Uint8Array, folder = 'in') =>
  unpackInto(files, folder, format, stream(content), limits);

async function tarOf(entries: { name: string; type?: 'symlink' | 'link'; linkname?: string; content?: string }[]) {
  const archive = pack();
  for (const { content = '', ...header } of entries) archive.entry(header, content);
  archive.finalize();
  return bytes(archive as unknown as AsyncIterable<Uint8Array>);
}

test.each<ArchiveFormat>(['zip', 'tar', 'tar.gz'])('%s: what is packed comes back the same', async (format) => {
  const long = `${'folder/'.repeat(20)}${'name'.repeat(30)}.txt`;
  const content = { 'out/a.txt': 'one', 'out/ümläut.txt': 'zwei', [`out/${long}`]: 'three', 'out/empty': '' };
  for (const [path, text] of Object.entries(content)) await files.write(path, text);
  await files.write('out/random', Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 31) % 251)));
  await files.write('elsewhere', 'not packed');
  symlinkSync('/etc/passwd', join(root, 'out/link'));
  const archive = await bytes(packFolder(files, 'out', format));
  const result = await unpack(format, archive);
  expect(result).toMatchObject({ files: 5, skipped: [] });
  for (const [path, text] of Object.entries(content)) {
    expect((await files.readText(path.replace('out/', 'in/'))).text).toBe(text);
  }
  const random = await bytes((await files.openBytes('in/random')).body);
  expect(random).toEqual(await bytes((await files.openBytes('out/random')).body));
});

test('tar: links and names that lead out are left out and named', async () => {
  const archive = await tarOf([
    { name: 'fine.txt', content: 'fine' },
    { name: '../outside.txt', content: 'x' },
    { name: '/absolute.txt', content: 'x' },
    { name: 'a/.git/config', content: 'x' },
    { name: 'link', type: 'symlink', linkname: '/etc' },
    { name: 'link/passwd', content: 'planted' },
    { name: 'hard', type: 'link', linkname: '/etc/passwd' },
  ]);
  const { skipped, files: count } = await unpack('tar', archive);
  expect(skipped).toEqual(['../outside.txt', '/absolute.txt', 'a/.git/config', 'link', 'hard']);
  expect(count).toBe(2);
  expect((await files.list({ path: 'in', isRecursive: true })).map(({ path }) => path)).toEqual([
    'in/fine.txt',
    'in/link',
    'in/link/passwd',
  ]);
});

test('zip: names that lead out are left out', async () => {
  const archive = new ZipFile();
  archive.addBuffer(Buffer.from('x'), 'xx/outside.txt');
  archive.addBuffer(Buffer.from('fine'), 'fine.txt');
  archive.addBuffer(Buffer.from('/etc'), 'link', { mode: 0o120777 });
  archive.end();
  // The library refuses to write such a name.
  const content = Buffer.from(
    (await bytes(Readable.from(archive.outputStream))).toString('latin1').replaceAll('xx/outside', '../outside'),
    'latin1',
  );
  expect(await unpack('zip', content)).toEqual({ files: 1, bytes: 4, skipped: ['../outside.txt', 'link'] });
});

test('bombs are stopped at the limits', async () => {
  const many = await tarOf(Array.from({ length: 101 }, (_, index) => ({ name: `${index}` })));
  await expect(unpack('tar', many)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  const large = await tarOf([{ name: 'zeros', content: '\0'.repeat(2_000_000) }]);
  await expect(unpack('tar.gz', gzipSync(large))).rejects.toMatchObject({ status: expect.any(Number) });
  const zip = new ZipFile();
  zip.addBuffer(Buffer.alloc(2_000_000), 'zeros');
  zip.end();
  await expect(unpack('zip', await bytes(Readable.from(zip.outputStream)))).rejects.toMatchObject({
    code: expect.stringMatching(/PAYLOAD_TOO_LARGE|QUOTA_EXCEEDED/),
  });
  const longName = await tarOf([{ name: 'n'.repeat(3_000_000), content: 'x' }]);
  await expect(unpack('tar', longName)).rejects.toMatchObject({ code: 'IMPORT_UNSUPPORTED' });
  expect((await files.list({ path: 'in', isRecursive: true })).every((file) => file.sizeBytes <= 1_000_000)).toBe(true);
});

test.each<ArchiveFormat>(['zip', 'tar', 'tar.gz'])('%s: bytes that are no archive are refused', async (format) => {
  await expect(unpack(format, Buffer.from('no archive at all '.repeat(100)))).rejects.toMatchObject({
    code: 'IMPORT_UNSUPPORTED',
  });
});
