// Runs that work in a sandbox, on the whole server: what they make is right over REST, and a crash loses none of it.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBwrapDriver } from '../../sandbox/drivers/bwrap/driver.ts';
import { gitVersion } from '../../sandbox/workspace/git.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { type FakeServer, startFakeServer } from '../support/openai-server.ts';
import { request, startTestServer, type TestServer } from '../support/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'rivulet-sandbox-e2e-'));
const probe = await createBwrapDriver({ directory: join(folder, 'probe') }).probe();
const hasGit = (await gitVersion().catch(() => null)) !== null;
const obstacle = !hasGit ? 'git is not installed' : probe.available ? null : probe.causes.join(' ');
if (obstacle) console.info(`skipped: runs in a sandbox, because ${obstacle}`);

const call = (name: string, args: object) => ({ name, arguments: args });
const turn = (...toolCalls: object[]) => ({ toolCalls });
/** How long the command that a crash interrupts would sleep: a number that nobody else uses. */
const mark = `3${process.pid}.25`;

const scenarios = {
  fixer: [
    turn(
      call('file_write', { path: 'src/add.sh', content: 'echo $(($1 - $2))\n' }),
      call('file_write', {
        path: 'test.sh',
        content: 'test "$(bash src/add.sh 2 3)" = 5 || { echo "wrong" >&2; exit 1; }\n',
      }),
    ),
    turn(call('shell_exec', { command: 'bash test.sh' })),
    turn(call('run_complete', { summary: 'Too early.' })),
    turn(call('file_write', { path: 'src/add.sh', content: 'echo $(($1 + $2))\n' })),
    turn(
      call('shell_exec', {
        command:
          'bash test.sh && echo "2 + 3 = $(bash src/add.sh 2 3)" > report.txt && printf "a\\000b" > blob.bin && ln -s /etc/passwd leak && ln -s / top && for i in $(seq 1 200); do echo "line $i"; done; printf "\\033[32mgreen\\033[0m\\n"',
      }),
    ),
    turn(call('run_complete', { summary: 'Fixed.', deliverable: 'report.txt' })),
  ],
  survivor: [
    turn(call('file_write', { path: 'before.txt', content: 'before\n' })),
    turn(call('shell_exec', { command: `echo begun > begun.txt; (setsid sleep ${mark} &); sleep ${mark}` })),
    turn(call('shell_exec', { command: 'cat before.txt begun.txt > after.txt; cat after.txt' })),
    turn(call('run_complete', { summary: 'Survived.' })),
  ],
  sharer: [
    turn(call('shell_exec', { command: 'tr a-z A-Z < note.txt > loud.txt' })),
    turn(call('run_complete', { summary: 'Shouted.' })),
  ],
};
for (const [name, turns] of Object.entries(scenarios))
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ turns }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const environment = { RIVULET_SANDBOX: 'bwrap', RIVULET_SCENARIOS: folder };

type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => ReturnType<typeof request>;

/** Starts a run and waits for its end. */
async function finish(ask: Call, body: object) {
  const made = await ask('POST', '/api/agent/runs', { goal: 'Work.', autoStart: true, ...body });
  expect(made.body).toMatchObject({ ok: true });
  const { id } = made.body.data;
  const ended = await ask('GET', `/api/agent/runs/${id}/wait?timeoutMs=60000`);
  return { id: id as number, run: ended.body.data };
}

const eventsOf = async (ask: Call, id: number) =>
  (await ask('GET', `/api/agent/runs/${id}/events?limit=1000`)).body.data as {
    type: string;
    level: string;
    title: string;
    message: string | null;
  }[];

/** Ids and chunks of a run's output, from a cursor to its end. */
async function output(server: TestServer, id: number, cursor?: string) {
  const response = await fetch(`${server.url}/api/agent/runs/${id}/sandbox/stream`, {
    headers: {
      authorization: `Bearer ${server.key}`,
      accept: 'text/event-stream',
      ...(cursor ? { 'last-event-id': cursor } : {}),
    },
  });
  const frames = (await response.text()).split('\n\n').filter((frame) => frame.includes('event: chunk'));
  return frames.map((frame) => ({
    id: /^id: (.*)$/m.exec(frame)?.[1] as string,
    chunk: JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] as string),
  }));
}

/** Process ids of commands that sleep for `mark`, in any sandbox. */
const sleepers = () =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`sleep\0${mark}`);
    } catch {
      return false;
    }
  });

describe.skipIf(obstacle)('a run in a sandbox', () => {
  let server: TestServer;
  let id: number;
  const ask: Call = (...args) => server.call(...args);
  const files = (path: string, headers?: Record<string, string>) =>
    ask('GET', `/api/agent/runs/${id}${path}`, undefined, headers);

  beforeAll(async () => {
    server = await startTestServer(environment);
    const done = await finish(ask, {
      modelId: 'scripted:fixer',
      contractDeliverable: 'A report',
      contractDestination: 'file:report.txt',
    });
    id = done.id;
    expect(done.run).toMatchObject({ status: 'Completed', reviewBranch: `review/run-${id}` });
  }, 120_000);
  afterAll(() => server?.close());

  it('writes a program, sees its test fail, fixes it, and may not complete before it has delivered', async () => {
    await expect
      .poll(async () => (await eventsOf(ask, id)).map((event) => event.type), { timeout: 20_000 })
      .toEqual(expect.arrayContaining(['SandboxStopped', 'ReviewReady']));
    const events = await eventsOf(ask, id);
    expect(events.filter(({ type }) => type === 'DeliverableChecked').map(({ level }) => level)).toEqual([
      'Warning',
      'Information',
    ]);
    const types = events.map((event) => event.type);
    expect(types.filter((type) => type === 'SandboxStarted')).toHaveLength(1);
    expect(types.filter((type) => type === 'FileChanged')).toHaveLength(3);
  });

  it('shows its files, their content and what kind they are', async () => {
    const all = (await files('/files?recursive=true')).body.data as { path: string; isBinary: boolean }[];
    expect(all.map((file) => file.path)).toEqual(['blob.bin', 'report.txt', 'src', 'src/add.sh', 'test.sh']);
    expect(all[0]?.isBinary).toBe(true);
    expect((await files('/files/content?path=report.txt')).body.data).toMatchObject({
      text: '2 + 3 = 5\n',
      truncated: false,
    });
    expect((await files('/files/content?path=report.txt&maxBytes=3')).body.data).toMatchObject({
      text: '2 +',
      truncated: true,
    });
    expect((await files('/files/content?path=blob.bin')).body.data).toMatchObject({ text: null, isBinary: true });
  });

  it('gives files whole, in part and not again, and folders as ZIP', async () => {
    const whole = await files('/files/download?path=report.txt');
    expect([whole.status, whole.body]).toEqual([200, '2 + 3 = 5\n']);
    const part = await files('/files/download?path=report.txt', { range: 'bytes=4-4' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 4-4/10']);
    expect(String(part.body)).toBe('3');
    expect((await files('/files/download?path=report.txt', { range: 'bytes=99-' })).status).toBe(416);
    const etag = whole.headers.get('etag') as string;
    expect((await files('/files/download?path=report.txt', { 'if-none-match': etag })).status).toBe(304);
    const zip = await fetch(`${server.url}/api/agent/runs/${id}/files/download?path=`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    const bytes = Buffer.from(await zip.arrayBuffer());
    expect(zip.headers.get('content-type')).toContain('zip');
    expect(bytes.subarray(0, 2).toString()).toBe('PK');
    expect(bytes.includes('src/add.sh')).toBe(true);
    expect(bytes.includes('root:')).toBe(false);
  });

  it('shows the diff against its base and the deliverable', async () => {
    const diff = (await files('/review/diff')).body.data;
    expect(diff).toMatchObject({ runId: id, branch: `review/run-${id}`, truncated: false });
    expect(diff.files.map((file: { path: string }) => file.path)).toContain('report.txt');
    expect(diff.patch).toContain('+echo $(($1 + $2))');
    expect(diff.patch).not.toContain('$1 - $2');
    expect((await files('/review/diff?path=src&statOnly=true')).body.data).toMatchObject({
      filesChanged: 1,
      additions: 1,
    });
    expect((await files('/review/deliverable')).body.data).toMatchObject({
      hasContract: true,
      kind: 'file',
      met: true,
    });
  });

  it('replays its output in order, from any cursor', async () => {
    const all = await output(server, id);
    expect(all.map(({ chunk }) => chunk.seq)).toEqual(all.map((_, i) => i + 1));
    expect(all.filter(({ chunk }) => chunk.exitCode !== null).map(({ chunk }) => chunk.exitCode)).toEqual([1, 0]);
    const textOf = (stream: string) =>
      all
        .filter(({ chunk }) => chunk.stream === stream)
        .map(({ chunk }) => chunk.text)
        .join('');
    expect(textOf('Stderr')).toBe('wrong\n');
    const lines = Array.from({ length: 200 }, (_, i) => `line ${i + 1}\n`).join('');
    expect(textOf('Stdout')).toBe(`${lines}\x1b[32mgreen\x1b[0m\n`);
    for (const [index, { id: cursor }] of all.entries())
      expect(await output(server, id, cursor)).toEqual(all.slice(index + 1));
    const odd = await files('/sandbox/stream', { accept: 'text/event-stream', 'last-event-id': 'nonsense' });
    expect(odd.body.errorCode).toBe('INVALID_CURSOR');
  });

  it('lets no path out, in any operation', async () => {
    const outside = ['../secret', 'src/../../secret', '/workspace/../../etc/passwd', '.git', '.git/config'];
    for (const path of outside.map(encodeURIComponent))
      for (const operation of [
        '/files?',
        '/files/content?',
        '/files/download?',
        '/files/download?asZip=true&',
        '/review/diff?',
      ])
        expect((await files(`${operation}path=${path}`)).body).toMatchObject({
          ok: false,
          errorCode: 'VALIDATION_FAILED',
        });
    for (const path of ['leak', 'top/etc/passwd', '/etc/passwd'])
      for (const operation of ['/files/content?', '/files/download?']) {
        const answer = await files(`${operation}path=${encodeURIComponent(path)}`);
        expect([400, 403, 404]).toContain(answer.status);
        expect(JSON.stringify(answer.body)).not.toContain('root:');
      }
  });

  it('works in a workspace, and brings its work back', async () => {
    const { body } = await ask('POST', '/api/workspaces', { name: 'Shared' });
    const at = `/api/workspaces/${body.data.id}`;
    expect((await ask('PUT', `${at}/files/content`, { path: 'note.txt', text: 'hello\n' })).status).toBe(200);
    const done = await finish(ask, { modelId: 'scripted:sharer', workspaceId: body.data.id });
    expect(done.run.status).toBe('Completed');
    await expect
      .poll(async () => (await ask('GET', `${at}/files/content?path=loud.txt`)).body.data?.text, { timeout: 20_000 })
      .toBe('HELLO\n');
    expect((await ask('GET', at)).body.data).toMatchObject({ fileCount: 2, activeRunCount: 0 });
    const lost = await ask('POST', '/api/agent/runs', { goal: 'x', workspaceId: 999_999 });
    expect(lost.body.errorCode).toBe('NOT_FOUND');
  });

  it('is named by readiness, with what this host cannot enforce', async () => {
    const { body } = await ask('GET', '/api/system/ready');
    const check = body.data.checks.find((one: { name: string }) => one.name === 'sandbox');
    expect(check).toMatchObject({ state: 'Healthy', required: false, detail: expect.stringContaining('bwrap') });
  });
});

describe.skipIf(obstacle)('a server that dies in the middle of a command', () => {
  let server: ChildServer;
  beforeAll(async () => {
    server = await createChildServer(environment);
    await server.start();
  }, 120_000);
  afterAll(() => server?.close());

  it('leaves no process, and its run goes on in the same worktree', async () => {
    const ask: Call = (method, path, body, headers = {}) =>
      request(server.baseUrl, method, path, body, { authorization: `Bearer ${server.key}`, ...headers });
    const made = await ask('POST', '/api/agent/runs', {
      goal: 'Survive.',
      autoStart: true,
      modelId: 'scripted:survivor',
    });
    const at = `/api/agent/runs/${made.body.data.id}`;
    await expect.poll(() => sleepers().length, { timeout: 30_000 }).toBe(2);
    const before = (await ask('GET', at)).body.data;
    await server.kill();
    await expect.poll(() => sleepers(), { timeout: 5_000 }).toEqual([]);
    await server.start();
    const after = (await ask('GET', `${at}/wait?timeoutMs=60000`)).body.data;
    expect(after).toMatchObject({
      status: 'Completed',
      reviewWorktreePath: before.reviewWorktreePath,
      reviewBaseSha: before.reviewBaseSha,
    });
    expect((await ask('GET', `${at}/files/content?path=after.txt`)).body.data.text).toBe('before\nbegun\n');
    expect(sleepers()).toEqual([]);
  });
});

describe('a server without a sandbox', () => {
  let server: TestServer;
  let model: FakeServer;
  const ask: Call = (...args) => server.call(...args);
  beforeAll(async () => {
    model = await startFakeServer();
    server = await startTestServer({
      RIVULET_SANDBOX: 'off',
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: 'sk-test',
      RIVULET_MODEL: 'openai:gpt-4o-mini',
    });
  });
  afterAll(async () => {
    await server.close();
    await model.close();
  });

  it('ends a run that needs one before its first model call, with cause and cure', async () => {
    const { run } = await finish(ask, { role: 'coder' });
    expect(run).toMatchObject({ status: 'Failed', iterationsUsed: 0 });
    expect(run.failureReason).toMatch(/turned off.*RIVULET_SANDBOX/s);
    expect(model.requests).toHaveLength(0);
  });

  it('shows commands to no model, and ends a run that calls one all the same', async () => {
    model.reply({ toolCalls: [{ id: 'c1', name: 'shell_exec', arguments: ['{"command":"id"}'] }] });
    const { run } = await finish(ask, {});
    expect(JSON.stringify(model.requests.at(-1)?.body.tools)).not.toContain('shell_exec');
    expect(run.status).toBe('Failed');
    expect(run.failureReason).toMatch(/turned off.*RIVULET_SANDBOX/s);
  });
});
