// The files of a run and of a workspace over HTTP, asked for rightly and wrongly; no sandbox is needed, git is.
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitVersion } from '../../sandbox/workspace/git.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const hasGit = (await gitVersion().catch(() => null)) !== null;
if (!hasGit) console.info('skipped: files over HTTP, because git is not installed');

const folder = mkdtempSync(join(tmpdir(), 'rivulet-files-e2e-'));
const write = (path: string, content: string) => ({ name: 'file_write', arguments: { path, content } });
const scenario = {
  turns: [
    { toolCalls: [write('notes/a b.txt', 'zero one two\n'), write('umlaut/ä.md', 'ü'.repeat(10))] },
    { toolCalls: [write('../out.txt', 'x'), write('.git/config', 'x'), write('/etc/passwd', 'x')] },
    {
      toolCalls: ['../x', '.git/HEAD', '/etc/passwd', 'notes'].map((path) => ({
        name: 'file_read',
        arguments: { path },
      })),
    },
    { toolCalls: [{ name: 'file_list', arguments: { path: '../..' } }] },
    { toolCalls: [{ name: 'run_complete', arguments: { summary: 'Written.' } }] },
  ],
};
writeFileSync(join(folder, 'writer.json'), JSON.stringify(scenario));

describe.skipIf(!hasGit)('files over HTTP', () => {
  let server: TestServer;
  let at: string;
  let worktree: string;
  const get = (path: string, headers: Record<string, string> = {}) =>
    server.call('GET', `${at}${path}`, undefined, headers);
  const bytes = (path: string, headers: Record<string, string> = {}) =>
    get(`/files/download?path=${encodeURIComponent(path)}`, headers);

  beforeAll(async () => {
    server = await startTestServer({ RIVULET_SCENARIOS: folder });
    const { body } = await server.call('POST', '/api/agent/runs', {
      goal: 'Write.',
      modelId: 'scripted:writer',
      autoStart: true,
    });
    at = `/api/agent/runs/${body.data.id}`;
    const ended = (await get('/wait?timeoutMs=60000')).body.data;
    expect(ended.status).toBe('Completed');
    worktree = ended.reviewWorktreePath;
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('tools refuse every path that leads out, and the run goes on', async () => {
    const events = (await get('/events?limit=1000')).body.data as { type: string; toolName: string | null }[];
    const failed = events.filter(({ type }) => type === 'ToolCallFailed').map(({ toolName }) => toolName);
    expect(failed).toEqual(['file_write', 'file_write', 'file_read', 'file_read', 'file_read', 'file_list']);
    // An absolute path is one of the workspace.
    const { data } = (await get('/files?recursive=true')).body;
    const paths = data.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(['etc', 'etc/passwd', 'notes', 'notes/a b.txt', 'umlaut', 'umlaut/ä.md']);
  });

  it('ranges are given as RFC 9110 says, and ETags spare what is known', async () => {
    const path = 'notes/a b.txt';
    const whole = await bytes(path);
    const etag = whole.headers.get('etag') as string;
    expect([whole.status, whole.headers.get('accept-ranges'), etag]).toEqual([
      200,
      'bytes',
      expect.stringMatching(/^"/),
    ]);
    for (const [range, status, contentRange, text] of [
      ['bytes=0-3', 206, 'bytes 0-3/13', 'zero'],
      ['bytes=5-', 206, 'bytes 5-12/13', 'one two\n'],
      ['bytes=-4', 206, 'bytes 9-12/13', 'two\n'],
      ['bytes=9-99', 206, 'bytes 9-12/13', 'two\n'],
      ['bytes=5-3', 200, null, 'zero one two\n'],
      ['bytes=a-b', 200, null, 'zero one two\n'],
      ['bytes=0-1,3-4', 200, null, 'zero one two\n'],
      ['lines=1-2', 200, null, 'zero one two\n'],
    ] as const) {
      const part = await bytes(path, { range });
      expect([range, part.status, part.headers.get('content-range'), part.body]).toEqual([
        range,
        status,
        contentRange,
        text,
      ]);
    }
    for (const range of ['bytes=13-', 'bytes=99-100'])
      expect([range, (await bytes(path, { range })).status]).toEqual([range, 416]);
    const range = 'bytes=0-3';
    expect((await bytes(path, { range, 'if-range': etag })).status).toBe(206);
    expect((await bytes(path, { range, 'if-range': '"other"' })).status).toBe(200);
    for (const known of ['*', `W/${etag}`, `"other", ${etag}`])
      expect((await bytes(path, { 'if-none-match': known })).status).toBe(304);
    expect((await bytes(path, { 'if-none-match': etag })).status).toBe(304);
    expect((await bytes(path, { 'if-none-match': '"other"' })).status).toBe(200);
    writeFileSync(join(worktree, path), 'changed');
    expect((await bytes(path, { 'if-none-match': etag })).status).toBe(200);
  });

  it('text is cut between characters, and binary is told from text', async () => {
    const read = async (path: string, maxBytes: number) =>
      (await get(`/files/content?path=${encodeURIComponent(path)}&maxBytes=${maxBytes}`)).body.data;
    expect(await read('umlaut/ä.md', 5)).toMatchObject({ text: 'üü', truncated: true, sizeBytes: 20 });
    expect(await read('umlaut/ä.md', 20)).toMatchObject({ text: 'ü'.repeat(10), truncated: false });
    writeFileSync(join(worktree, 'blob'), Buffer.from([1, 0, 2]));
    expect(await read('blob', 100)).toMatchObject({ text: null, isBinary: true, truncated: false });
    writeFileSync(join(worktree, 'latin'), Buffer.from([0x61, 0xe4, 0x62]));
    expect((await read('latin', 100)).text).toBe('a\ufffdb');
    writeFileSync(join(worktree, 'huge'), '');
    truncateSync(join(worktree, 'huge'), 3_000_000_000);
    expect(await read('huge', 10)).toMatchObject({ isBinary: true, sizeBytes: 3_000_000_000 });
    expect(String((await bytes('huge', { range: 'bytes=2999999999-' })).body)).toBe('\0');
    rmSync(join(worktree, 'huge'));
  });

  it.each([
    ['/files/content?path=', 400],
    ['/files/content', 400],
    ['/files/content?path=none.txt', 404],
    ['/files/content?path=notes', 400],
    ['/files/content?path=blob&maxBytes=0', 400],
    ['/files/content?path=blob&maxBytes=99999999', 400],
    ['/files/content?path=a%00b', 400],
    [`/files/content?path=${'a'.repeat(5000)}`, 400],
    [`/files/content?path=${'a/'.repeat(2000)}b`, 404],
    ['/files?path=none', 404],
    ['/files?path=blob', 404],
    ['/files?recursive=maybe', 400],
    ['/files/download?path=none', 404],
    ['/files/download?path=notes&asZip=false', 400],
    ['/review/diff?contextLines=-1', 400],
    ['/review/diff?path=..%2F..', 400],
    ['/sandbox/stream?tail=-1', 400],
    ['/sandbox/stream?lastEventId=x', 400],
  ])('%s is answered with %d and a hint', async (path, status) => {
    const { body, ...answer } = await get(path);
    expect([answer.status, body.ok]).toEqual([status, false]);
    expect(body.errorHint ?? body.hint ?? body.error).toBeTruthy();
    expect(JSON.stringify(body)).not.toContain(worktree);
  });

  it('links in the worktree are followed by none of them', async () => {
    const secret = join(folder, 'secret.txt');
    writeFileSync(secret, 'host secret');
    symlinkSync(secret, join(worktree, 'link.txt'));
    symlinkSync(folder, join(worktree, 'dir'));
    for (const path of ['link.txt', 'dir/secret.txt', 'dir']) {
      const asked = encodeURIComponent(path);
      for (const operation of ['/files/content?path=', '/files/download?path=', '/files/download?asZip=true&path='])
        expect(JSON.stringify((await get(`${operation}${asked}`)).body)).not.toContain('host secret');
    }
    const zip = await get('/files/download?path=');
    expect([zip.status, String(zip.body).includes('host secret')]).toEqual([200, false]);
    const { patch } = (await get('/review/diff')).body.data;
    expect(patch).toContain('link.txt');
    expect(patch).not.toContain('host secret');
  });

  it('the diff tells renames, counts and binary files, and one file when asked', async () => {
    const { body } = await server.call('POST', '/api/workspaces', { name: 'Diffs' });
    const put = (path: string, text: string) =>
      server.call('PUT', `/api/workspaces/${body.data.id}/files/content`, { path, text });
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i}\n`).join('');
    await put('old.txt', lines);
    await put('gone.txt', 'gone\n');
    const run = await server.call('POST', '/api/agent/runs', {
      goal: 'Write.',
      modelId: 'scripted:writer',
      workspaceId: body.data.id,
      autoStart: true,
    });
    const its = `/api/agent/runs/${run.body.data.id}`;
    const { data } = (await server.call('GET', `${its}/wait?timeoutMs=60000`)).body;
    rmSync(join(data.reviewWorktreePath, 'gone.txt'));
    rmSync(join(data.reviewWorktreePath, 'old.txt'));
    writeFileSync(join(data.reviewWorktreePath, 'new.txt'), lines.replace('line 3', 'line three'));
    const diff = async (query: string) => (await server.call('GET', `${its}/review/diff${query}`)).body.data;
    const whole = await diff('');
    const changes = whole.files.map((file: { path: string; changeType: string }) => [file.path, file.changeType]);
    expect(changes).toEqual(
      expect.arrayContaining([
        ['new.txt', 'Renamed'],
        ['gone.txt', 'Deleted'],
        ['notes/a b.txt', 'Added'],
      ]),
    );
    const renamed = whole.files.find((file: { path: string }) => file.path === 'new.txt');
    expect(renamed).toMatchObject({ previousPath: 'old.txt', additions: 1, deletions: 1, isBinary: false });
    expect(whole.patch).toMatch(/^-line 3\n\+line three$/m);
    const one = await diff('?path=gone.txt&contextLines=0');
    expect(one).toMatchObject({ filesChanged: 1, additions: 0, deletions: 1 });
    expect(await diff('?path=gone.txt&statOnly=true')).toMatchObject({ filesChanged: 1, patch: null });
  });
});
