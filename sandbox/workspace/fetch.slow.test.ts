// What a fetch brings is within its quota or leaves nothing, and what the store has is not sent again.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commitFiles, type GitHost, startGitHost } from '../../test/support/git-host.ts';
import { diskUsage } from '../disk/disk-usage.ts';
import { fetchInto, removeAbandoned } from './fetch.ts';
import { git, gitLine, gitVersion } from './git.ts';
import { cloneStore } from './new-store.ts';

const hasGit = (await gitVersion().catch(() => null)) !== null;
const mebibyte = 1024 * 1024;
const quota = { bytes: mebibyte, seconds: 600 };
let folder: string;
let store: string;
let host: GitHost;

describe.skipIf(!hasGit)('a fetch', () => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rivulet-fetch-'));
    store = join(folder, 'store.git');
    await git(null, ['init', '--bare', '--quiet', store]);
    host = await startGitHost({ folder, account: 'a:b', instead: ({ url }) => url?.startsWith('/stalled') ?? false });
  });
  afterEach(async () => {
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const bytesIn = async (name: string) => (await diskUsage(join(folder, name))).bytes;
  const fetch = (name: string, more: object = {}) =>
    fetchInto(store, { url: `${host.url}/${name}`, allowsHttp: true, quota, ...more }, 'refs/rivulet/there');
  const drafts = () => readdirSync(store).filter((name) => name.startsWith('incoming-'));

  it('brings what is new alone', async () => {
    const text = randomBytes(mebibyte / 2);
    const first = await commitFiles(folder, 'there.git', { 'a.bin': text });
    await fetch('there.git');
    expect(await gitLine({ gitDir: store }, ['rev-parse', 'refs/rivulet/there'])).toBe(first);
    const before = await bytesIn('store.git');
    const second = await commitFiles(folder, 'there.git', { 'a.bin': text, 'b.txt': 'new' });
    await fetch('there.git');
    expect(await gitLine({ gitDir: store }, ['rev-parse', 'refs/rivulet/there'])).toBe(second);
    expect(await gitLine({ gitDir: store }, ['show', 'refs/rivulet/there:b.txt'])).toBe('new');
    expect(await gitLine({ gitDir: store }, ['fsck', '--connectivity-only'])).toBe('');
    expect((await bytesIn('store.git')) - before).toBeLessThan(mebibyte / 10);
    expect(drafts()).toEqual([]);
  });

  it('that is too large fails by name and leaves nothing', async () => {
    await commitFiles(folder, 'large.git', { 'large.bin': randomBytes(3 * mebibyte) });
    const before = await bytesIn('store.git');
    await expect(fetch('large.git')).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: 'The repository has more than the 1 MiB that are fetched.',
      hint: expect.stringContaining('fetchMb'),
    });
    expect([await bytesIn('store.git'), drafts()]).toEqual([before, []]);
    await fetch('large.git', { quota: { ...quota, bytes: 4 * mebibyte } });
  });

  it('that takes too long fails by name and leaves nothing', async () => {
    await expect(fetch('stalled.git', { quota: { ...quota, seconds: 1 } })).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: 'The repository takes more than a fetch may: 1 seconds.',
      hint: expect.stringContaining('fetchSeconds'),
    });
    expect(drafts()).toEqual([]);
  });

  it('that is refused tells nobody what it was sent', async () => {
    await commitFiles(folder, 'private.git', { 'a.txt': 'a' });
    const authorization = `Basic ${Buffer.from('me:wrong-hush').toString('base64')}`;
    const failure = await fetch('private.git', { authorization }).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ code: 'CONNECTOR_ERROR', message: expect.stringContaining('refuses') });
    const said = `${failure}${(failure as Error).stack}${(failure as Error).cause}`;
    expect(said).not.toMatch(/wrong-hush|bWU6d3JvbmctaHVzaA/);
    expect(host.seen).toContain(authorization);
  });

  it('sends what opens a repository to no other host that it names', async () => {
    const other = await startGitHost({ folder, account: 'a:b' });
    const away = await startGitHost({
      folder,
      account: 'a:b',
      instead: ({ url }, response) => !!response.writeHead(302, { location: `${other.url}${url}` }).end(),
    });
    await commitFiles(folder, 'private.git', { 'a.txt': 'a' });
    const authorization = `Basic ${Buffer.from('a:b').toString('base64')}`;
    await expect(fetch('private.git', { url: `${away.url}/private.git`, authorization })).rejects.toThrow();
    expect([away.seen.length > 0, other.seen]).toEqual([true, []]);
    await Promise.all([other.close(), away.close()]);
  });

  it('that a server died in is cleared up, and one under way is not', async () => {
    const [old, young, half] = ['incoming-1', 'incoming-2', 'x.git.1.new'].map((name) => join(store, name));
    for (const one of [old, young, half]) mkdirSync(one as string);
    for (const one of [old, half]) utimesSync(one as string, 0, 0);
    await removeAbandoned(store, Date.now());
    expect(readdirSync(store).filter((name) => /incoming|new$/.test(name))).toEqual(['incoming-2']);
  });

  it('of a clone that fails leaves no store', async () => {
    await expect(cloneStore(join(folder, 'clone.git'), { url: 'https://127.0.0.1:1/x.git' })).rejects.toMatchObject({
      code: 'CONNECTOR_ERROR',
    });
    expect(readdirSync(folder)).toEqual(['store.git']);
  });
});
