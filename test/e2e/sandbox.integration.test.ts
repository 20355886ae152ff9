// Runs that work in a sandbox, on the whole server: what they make is right over REST, and a crash loses none of it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDrivers } from '../../sandbox/testing/drivers.ts';
import { processesWith } from '../../sandbox/testing/processes.ts';
import { gitVersion } from '../../sandbox/workspace/git.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { request, startTestServer, type TestServer } from '../support/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'rivulet-sandbox-e2e-'));
const hasGit = (await gitVersion().catch(() => null)) !== null;
if (!hasGit) console.info('skipped: runs in a sandbox, because git is not installed');
const drivers = hasGit ? await testDrivers() : [];
if (drivers.length === 0) it.skip('no sandbox driver works on this machine', () => {});

const call = (name: string, args: object) => ({ name, arguments: args });
const turn = (...toolCalls: object[]) => ({ toolCalls });
/** How long the command that a crash interrupts would sleep: a number that nobody else uses. */
const mark = `3${process.pid}.25`;

/** Says 204 to whoever reaches it, and how many did. */
const host = { port: 0, knocks: 0 };
const hostServer = createServer((_, response) => {
  host.knocks += 1;
  response.writeHead(204).end();
});
await new Promise<void>((ready) => hostServer.listen(0, '127.0.0.1', ready));
host.port = (hostServer.address() as AddressInfo).port;
afterAll(() => hostServer.close());

/** Tells its limits, and what the hosts say that it may and may not reach. */
const hosts = turn(
  call('shell_exec', {
    command:
      `ulimit -n; echo "proxy=$http_proxy"; node=$(command -v node || echo /opt/rivulet-node); for host in $HOSTS; do $node -e 'require("http").get({ host: "127.0.0.1", port: 3128, path: process.argv[1] }, (r) => { console.log("answer", r.statusCode); process.exit(); }).on("error", () => console.log("no way"))' "http://$host/"; done`.replace(
        '$HOSTS',
        () => `127.0.0.1:${host.port} 127.0.0.1:1`,
      ),
  }),
);
const scenarios = {
  fixer: [
    turn(
      call('file_write', { path: 'src/add.sh', content: 'echo $(($1 - $2))\n' }),
      call('file_write', {
        path: 'test.sh',
        content: 'test "$(sh src/add.sh 2 3)" = 5 || { echo "wrong" >&2; exit 1; }\n',
      }),
    ),
    turn(call('shell_exec', { command: 'sh test.sh' })),
    turn(call('run_complete', { summary: 'Too early.' })),
    turn(call('file_write', { path: 'src/add.sh', content: 'echo $(($1 + $2))\n' })),
    turn(
      call('shell_exec', {
        command:
          'sh test.sh && echo "2 + 3 = $(sh src/add.sh 2 3)" > report.txt && printf "a\\000b" > blob.bin && ln -s /etc/passwd leak && ln -s / top && for i in $(seq 1 200); do echo "line $i"; done; printf "\\033[32mgreen\\033[0m\\n"',
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
  parent: [
    turn(call('file_write', { path: 'plan.txt', content: 'the plan\n' })),
    turn(call('run_spawn', { goal: 'A part.', modelId: 'scripted:child', wait: true })),
    turn(call('shell_exec', { command: 'cat plan.txt part.txt' })),
    turn(call('run_complete', { summary: 'Put together.' })),
  ],
  child: [
    turn(call('shell_exec', { command: 'sed s/plan/part/ plan.txt > part.txt' })),
    turn(call('run_complete', { summary: 'Made the part.' })),
  ],
  limited: [
    hosts,
    turn(call('shell_exec', { command: 'sleep 60' })),
    turn(call('run_complete', { summary: 'Tried.' })),
  ],
  plain: [hosts, turn(call('run_complete', { summary: 'Tried.' }))],
  sharer: [
    turn(call('shell_exec', { command: 'tr a-z A-Z < note.txt > loud.txt' })),
    turn(call('run_complete', { summary: 'Shouted.' })),
  ],
};
for (const [name, turns] of Object.entries(scenarios))
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ turns }));
afterAll(() => {
  for (const driver of drivers) driver.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Settings of a server that uses this driver; runs of the role `reviewer` have little, and one host. */
function environmentOf({ name, recipe }: (typeof drivers)[number], host = 'none.test') {
  const file = join(folder, `${name}.json`);
  const settings = {
    ceilings: { memoryMb: 256, commandSeconds: 20 },
    roles: { reviewer: { openFiles: 100, commandSeconds: 5, hosts: [host] } },
    privateHosts: true,
    ...(name === 'docker' ? { docker: { socket: recipe.socket, image: recipe.image } } : {}),
  };
  writeFileSync(file, JSON.stringify(settings));
  return { RIVULET_SANDBOX: name, RIVULET_SCENARIOS: folder, RIVULET_SANDBOX_SETTINGS: file };
}

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

/** Commands that sleep for `mark`, in any sandbox. */
const sleepers = () => processesWith(`sleep\0${mark}`);

describe.each(drivers)('a run in a sandbox of $name', (driver) => {
  let server: TestServer;
  let id: number;
  const ask: Call = (...args) => server.call(...args);
  const files = (path: string, headers?: Record<string, string>) =>
    ask('GET', `/api/agent/runs/${id}${path}`, undefined, headers);

  beforeAll(async () => {
    server = await startTestServer(environmentOf(driver, `127.0.0.1:${host.port}`));
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
    // Three of file_write, and one of the command that made files; the failing test changed none.
    expect(types.filter((type) => type === 'FileChanged')).toHaveLength(4);
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
    // Files are counted when all of them are there.
    await expect
      .poll(async () => (await ask('GET', at)).body.data, { timeout: 20_000 })
      .toMatchObject({ fileCount: 2, activeRunCount: 0 });
    const lost = await ask('POST', '/api/agent/runs', { goal: 'x', workspaceId: 999_999 });
    expect(lost.body.errorCode).toBe('NOT_FOUND');
  });

  it('takes over what its child made, before it goes on', async () => {
    const { id: parent, run } = await finish(ask, { modelId: 'scripted:parent' });
    expect(run).toMatchObject({ status: 'Completed', progressSummary: 'Put together.' });
    const said = await output(server, parent);
    expect(said.map(({ chunk }) => chunk.text).join('')).toContain('the plan\nthe part\n');
    const events = await eventsOf(ask, parent);
    const types = events.map(({ type, title }) => (type === 'FileChanged' ? title : type));
    const merged = types.findIndex((type) => /was merged into run/.test(type));
    expect(merged).toBeGreaterThan(0);
    expect(types.indexOf('ChildCompleted')).toBe(merged + 1);
    const { body } = await ask('GET', `/api/agent/runs/${parent}/review/diff?statOnly=true`);
    expect(body.data.files.map((file: { path: string }) => file.path)).toEqual(['part.txt', 'plan.txt']);
  });

  it('has the limits and the hosts of its role, and no network without', async () => {
    const said = async (id: number) => (await output(server, id)).map(({ chunk }) => chunk.text).join('');
    const limited = await finish(ask, { modelId: 'scripted:limited', role: 'reviewer' });
    expect(limited.run.status).toBe('Completed');
    expect(await said(limited.id)).toMatch(
      /^100\nproxy=http:\/\/127.0.0.1:3128\n(.*\n)*answer 204\n(.*\n)*answer 403\n/,
    );
    expect(await said(limited.id)).toContain('time limit');
    expect(host.knocks).toBe(1);
    const plain = await finish(ask, { modelId: 'scripted:plain', role: 'worker' });
    expect(await said(plain.id)).toMatch(/^1024\nproxy=\n/);
    expect(await said(plain.id)).not.toContain('answer');
    expect(host.knocks).toBe(1);
    host.knocks = 0;
  }, 120_000);

  it('is named by readiness, with what this host cannot enforce', async () => {
    const { body } = await ask('GET', '/api/system/ready');
    const check = body.data.checks.find((one: { name: string }) => one.name === 'sandbox');
    expect(check).toMatchObject({ state: 'Healthy', required: false, detail: expect.stringContaining(driver.name) });
    for (const [limit, how] of Object.entries(driver.enforces ?? {})) {
      const sentence = how === 'none' ? 'Not enforced here' : 'Enforced approximately';
      if (how !== 'kernel') expect(check.detail).toMatch(new RegExp(`${sentence}: [^.]*${limit}`));
    }
  });
});

describe.each(drivers)('a server that dies in the middle of a command in $name', (driver) => {
  let server: ChildServer;
  beforeAll(async () => {
    server = await createChildServer(environmentOf(driver));
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
    // What the interrupted command had changed is in the log as well, with the next one.
    const events = (await ask('GET', `${at}/events?limit=1000`)).body.data as { type: string; payloadJson: string }[];
    const changed = events
      .filter(({ type }) => type === 'FileChanged')
      .map(({ payloadJson }) => JSON.parse(payloadJson));
    expect(changed.map(({ by, wasInterrupted, files }) => [by, wasInterrupted, files?.[0].path])).toEqual([
      ['file_write', undefined, undefined],
      ['shell_exec', true, 'begun.txt'],
      ['shell_exec', undefined, 'after.txt'],
    ]);
    expect(sleepers()).toEqual([]);
  });
});
