// The command line against a running server: what it prints to people and to programs, and how it exits.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';

const root = resolve(import.meta.dirname, '../..');
let server: ChildServer;
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'rivulet-cli-'));
  server = await createChildServer();
  await server.start();
});
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

interface Result {
  code: number | null;
  out: string;
  err: string;
}

/** Runs a command beside the server, as its operator would: on its folder, without a key. */
function rivulet(args: string[], { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {}) {
  const child = spawn(process.execPath, [join(root, 'dist/server/cli/rivulet.js'), ...args], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      XDG_CONFIG_HOME: home,
      RIVULET_DATA: server.folder,
      RIVULET_PORT: String(server.port),
      ...env,
    },
  });
  const result: Result = { code: null, out: '', err: '' };
  child.stdout.on('data', (piece) => {
    result.out += piece;
  });
  child.stderr.on('data', (piece) => {
    result.err += piece;
  });
  child.stdin.end(input);
  return new Promise<Result>((done) => child.once('close', (code) => done({ ...result, code })));
}

const json = (lines: string) =>
  lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the command line', () => {
  it('signs in where the folder of the server is at hand, and keeps that for its owner alone', async () => {
    const { code, out, err } = await rivulet(['runs', '--json']);
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toBeInstanceOf(Array);
    const file = join(home, 'rivulet/keys.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(server.baseUrl);
  });

  it('signs in with RIVULET_SECRET where that is set: the folder may still have the secret before', async () => {
    const folder = mkdtempSync(join(home, 'rotated-'));
    writeFileSync(join(folder, 'secret'), 'the secret before the present one, 0123456789');
    const env = { RIVULET_DATA: folder, XDG_CONFIG_HOME: folder };
    const secret = readFileSync(join(server.folder, 'secret'), 'utf8').trim();
    expect(await rivulet(['runs', '--json'], { env: { ...env, RIVULET_SECRET: secret } })).toMatchObject({
      code: 0,
      err: '',
    });
    rmSync(join(folder, 'rivulet'), { recursive: true });
    const refused = await rivulet(['runs'], { env });
    expect(refused.code).toBe(4);
    expect(refused.err).toContain(`The secret in ${folder} is not that of the server`);
    expect(refused.err).toContain('RIVULET_SECRET');
  });

  it('works where nothing can be kept for the next command, as in a container that may only be read', async () => {
    writeFileSync(join(home, 'no-folder'), '');
    const env = { XDG_CONFIG_HOME: join(home, 'no-folder') };
    for (const command of ['runs', 'doctor'])
      expect(await rivulet([command], { env }), command).toMatchObject({ code: 0, err: '' });
    const login = await rivulet(['login', '--url', server.baseUrl, '--key', server.key], { env });
    expect([login.code, login.err]).toEqual([1, expect.stringMatching(/^\S+keys\.json cannot be written: \S.*\n$/)]);
  });

  it('says where what it has imported is reviewed', async () => {
    const atoms = [{ kind: 'memory', title: 'Tea', content: 'Likes tea with milk.' }];
    writeFileSync(join(home, 'portable.json'), JSON.stringify({ atoms, artifacts: [] }));
    const { code, out } = await rivulet(['import', 'portable.json']);
    expect(code).toBe(0);
    expect(out).toMatch(/Import (\d+) waits for your review: http\S+\/#\/imports\/\1$/m);
  });

  it('runs a goal to its end, and tells it to people without colours where nobody looks', async () => {
    const { code, out } = await rivulet(['run', 'Say hello', '--model', 'scripted:hello']);
    expect(code).toBe(0);
    expect(out).toContain('── turn 1 ──');
    expect(out).toContain('■ Completed');
    expect(out).not.toContain('\x1b');
  });

  it('follows from the beginning as one JSON document a line', async () => {
    const started = await rivulet(['run', 'Say hello', '--model', 'scripted:hello', '--detach', '--json']);
    const { id } = JSON.parse(started.out);
    const { code, out } = await rivulet(['follow', String(id), '--json']);
    expect(code).toBe(0);
    const events = json(out);
    expect(events[0].type).toBe('run.created');
    expect(events.at(-1)).toMatchObject({ type: 'run.ended', data: { id, status: 'Completed' } });
  });

  it('says by its exit code that a run did not complete', async () => {
    const client = createClient({ baseUrl: server.baseUrl, token: server.key });
    const run = await client.agentRuns.create({ body: { goal: 'Never begun' } });
    const cancelled = await rivulet(['cancel', String(run.id)]);
    expect(cancelled.out).toContain('Cancelled');
    expect((await rivulet(['follow', String(run.id)])).code).toBe(5);
    // It could go on, but does so by itself no more than one that has ended.
    const spent = ['run', 'Too much', '--model', 'scripted:demo', '--max-turns', '1'];
    expect(await Promise.all([rivulet(spent), rivulet([...spent, '--json'])])).toMatchObject([
      { code: 5 },
      { code: 5 },
    ]);
  });

  it('lists runs in columns', async () => {
    const { out } = await rivulet(['runs', '--limit', '1']);
    expect(out.split('\n')[0]).toMatch(/^RUN +STATUS +TURNS +COST +STARTED +GOAL$/);
    expect(out.trim().split('\n')).toHaveLength(2);
  });

  it('chats: one message, one piped in, and on in the same session', async () => {
    const first = await rivulet(['chat', 'Hello', 'there', '--model', 'scripted:hello']);
    expect(first.code).toBe(0);
    expect(first.out).toContain('Hello there');
    const session = /--session (\d+)/.exec(first.err)?.[1] ?? '';
    const second = await rivulet(['chat', '--session', session, '--json'], { input: 'And again\n' });
    const events = json(second.out);
    expect(events[0].type).toBe('Started');
    expect(events.at(-1).type).toBe('Completed');
    expect(events.every(({ sessionId }) => sessionId === Number(session))).toBe(true);
  });

  it('tells apart wrong usage, no server, and no permission', async () => {
    const wrong = await rivulet(['follow', 'abc']);
    expect([wrong.code, wrong.out]).toEqual([2, '']);
    expect(wrong.err).toContain('whole number');
    expect((await rivulet(['rnu'])).err).toContain('Did you mean run');
    const nobody = await rivulet(['runs', '--url', 'http://127.0.0.1:9', '--key', server.key]);
    expect(nobody.code).toBe(3);
    const refused = await rivulet(['runs', '--key', 'rvt_0123456789012345678901234567890123']);
    expect(refused.code).toBe(4);
    for (const { err } of [wrong, nobody, refused]) expect(err).not.toMatch(/\n\s+at /);
  });

  it('keeps a key by login, and forgets it by logout', async () => {
    const env = { RIVULET_DATA: join(home, 'nothing'), RIVULET_PORT: '0' };
    const login = await rivulet(['login', '--url', server.baseUrl, '--key', server.key], { env });
    expect(login.out).toContain('is used from now on');
    expect((await rivulet(['runs'], { env })).code).toBe(0);
    expect((await rivulet(['logout'], { env })).out).toContain('forgotten');
    expect((await rivulet(['runs', '--url', server.baseUrl], { env })).code).toBe(4);
  });

  it.each([
    ['while it is made', false],
    ['once it is over', true],
  ])('goes on with a reply whose connection broke off, %s, and says each word once', async (_, isLate) => {
    const client = createClient({ baseUrl: server.baseUrl, token: server.key });
    const newest = async () => {
      const [session] = (await client.chat.list({ query: { pageSize: 1 } })).items;
      const { items } = await client.chat.messages({ params: { sessionId: session!.id } });
      return items.at(-1);
    };
    // Passes on what it is asked, and cuts the reply after its first piece.
    let cuts = 0;
    const proxy = createServer(async (asked, answer) => {
      const { method, url, headers } = asked;
      if (isLate && method === 'GET' && url?.includes('/stream'))
        await expect.poll(async () => (await newest())?.state).toBe('Complete');
      const passed = request(`${server.baseUrl}${url}`, { method, headers }, (response) => {
        answer.writeHead(response.statusCode ?? 500, response.headers);
        if (method !== 'POST' || !url?.endsWith('/chat/stream')) return response.pipe(answer);
        if (cuts > 0) return response.pipe(answer);
        return response.once('data', (piece) => {
          cuts += 1;
          answer.write(piece, () => answer.destroy());
          response.destroy();
        });
      });
      asked.pipe(passed);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { code, out, err } = await rivulet(['chat', 'Hello there', '--url', url, '--key', server.key]);
    expect([code, cuts]).toEqual([0, 1]);
    expect(err).toContain('trying again');
    expect(out.trim()).toBe((await newest())?.content.trim());
    proxy.close();
  });

  it.each([
    ['its key', () => ['--key', server.key]],
    ['its secret at hand, as every command', () => []],
  ])('plays a scene of the demo on the server whose port is set, by %s', async (_, more) => {
    const { code, out } = await rivulet(['demo', '--scene', 'SingleRun', '--speed', '4', ...more()]);
    expect(out).toContain(`Rivulet at ${server.baseUrl}\n`);
    expect([code, out]).toEqual([0, expect.stringContaining('■ Completed')]);
  });

  it('writes an export into a new file, and over none', async () => {
    const file = join(home, 'kept.zip');
    writeFileSync(file, 'mine');
    const refused = await rivulet(['export', '--out', file]);
    expect(refused.code).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect((await rivulet(['export', '--out', join(home, 'tenant.zip')])).code).toBe(0);
    expect(readFileSync(join(home, 'tenant.zip')).subarray(0, 2).toString()).toBe('PK');
  });

  it('says that an export broke off, and leaves no part of it', async () => {
    const broken = createServer((_, answer) => {
      answer.writeHead(200, { 'content-type': 'application/zip' });
      answer.write('PK and so on', () => answer.destroy());
    }).listen(0, '127.0.0.1');
    await once(broken, 'listening');
    const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
    const before = readdirSync(home);
    for (const file of [join(home, 'cut.zip'), '-']) {
      const { code, err } = await rivulet(['export', '--out', file, '--url', url, '--key', server.key]);
      expect(code).toBe(3);
      expect(err).toMatch(/^The connection broke off/);
      expect(err).not.toMatch(/\n\s+at |TypeError/);
    }
    expect(readdirSync(home)).toEqual(before);
    broken.close();
  });

  it.each([
    ['import', 'none.zip'],
    ['import', '.'],
    ['export', '--out', 'none/tenant.zip'],
    ['backup', 'a-file'],
    ['backup', 'a-file/copy'],
  ])('says which file %s %s cannot use, without a stack', async (...args: string[]) => {
    writeFileSync(join(home, 'a-file'), 'mine');
    const { code, out, err } = await rivulet(args);
    expect([code, out]).toEqual([args[0] === 'backup' ? 1 : 2, '']);
    expect(err).toContain(args.at(-1));
    expect(err).toMatch(/cannot be (read|written)/);
    expect(err).not.toMatch(/\n\s+at |Error:|reached/);
  });

  it('tells programs what the operator’s commands have done', async () => {
    const folder = join(home, 'copy');
    const said = async (args: string[], env = {}) => {
      const { code, out, err } = await rivulet([...args, '--json'], { env });
      expect([code, err]).toEqual([0, '']);
      return JSON.parse(out);
    };
    const saved = await said(['backup', folder]);
    expect(saved).toMatchObject({ from: server.folder, to: folder, store: 'embedded', skipped: [] });
    expect(saved.bytes).toBeGreaterThan(1000);
    const target = join(home, 'restored');
    expect(await said(['restore', folder], { RIVULET_DATA: target })).toEqual({ ...saved, from: folder, to: target });
    const nowhere = await rivulet(['restore', folder], { env: { RIVULET_DATA: join(home, 'x'.repeat(300)) } });
    expect([nowhere.code, nowhere.out]).toEqual([1, '']);
    expect(nowhere.err).toMatch(/ can't be used: ENAMETOOLONG.*\nName a folder/);
    expect(nowhere.err).not.toMatch(/\n\s+at /);
    const { url, minutes } = await said(['admin', 'reset']);
    expect([new URL(url).port, minutes]).toEqual([String(server.port), expect.any(Number)]);
    const list = join(home, 'list.json');
    const price = { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
    writeFileSync(list, JSON.stringify({ 'gpt-odd': price }));
    expect(await said(['prices', list], { RIVULET_DATA: target })).toMatchObject({ added: ['gpt-odd'], changed: [] });
  });

  it.each([
    [['admin', 'link'], 2],
    [['prices', 'list.json'], 1],
  ])('%j makes no folder where there is none, and says so', async (args, expected) => {
    const folder = join(home, 'mistyped');
    const { code, out, err } = await rivulet(args, { env: { RIVULET_DATA: folder } });
    expect([code, out]).toEqual([expected, '']);
    expect(err).toMatch(/[Tt]here is no .*mistyped\.\nName the folder/);
    expect(existsSync(folder)).toBe(false);
  });

  it('finds what is wrong with a machine', async () => {
    const { code, out } = await rivulet(['doctor', '--json']);
    expect(code).toBe(0);
    const findings = JSON.parse(out) as { check: string; verdict: string }[];
    for (const check of ['node', 'settings', 'folder', 'server', 'ready', 'key'])
      expect(findings).toContainEqual(expect.objectContaining({ check, verdict: 'ok' }));
    for (const [name, value] of [
      ['RIVULET_TRANSPORT', 'pigeon'],
      ['RIVULET_BACKUP_SCHEDULE', 'nightly'],
    ] as const) {
      const wrong = await rivulet(['doctor'], { env: { [name]: value } });
      expect(wrong.code).toBe(1);
      expect(wrong.out).toContain(`${name}: `);
    }
  });

  it('finds that what is named as the folder is a file', async () => {
    writeFileSync(join(home, 'no-folder'), '');
    for (const path of ['no-folder', 'no-folder/data']) {
      const { code, out } = await rivulet(['doctor', '--json'], { env: { RIVULET_DATA: join(home, path) } });
      expect(code).toBe(1);
      const message = expect.stringMatching(/no-folder is no folder.*RIVULET_DATA/);
      expect(JSON.parse(out)).toContainEqual({ check: 'folder', verdict: 'wrong', message });
    }
  });

  it('finds that the folder is somebody else’s, as a start would', async () => {
    const theirs = mkdtempSync(join(home, 'etc-'));
    writeFileSync(join(theirs, 'passwd'), '');
    const { code, out } = await rivulet(['doctor', '--json'], { env: { RIVULET_DATA: theirs } });
    expect(code).toBe(1);
    const message = expect.stringMatching(/ has other things in it: .* Name an empty folder/);
    expect(JSON.parse(out)).toContainEqual({ check: 'folder', verdict: 'wrong', message });
  });

  it('finds that a newer version has written into the folder, as a start would', async () => {
    const folder = mkdtempSync(join(home, 'newer-'));
    const file = new Database(join(folder, 'rivulet.db'));
    file.pragma('user_version = 99');
    file.close();
    const { code, out } = await rivulet(['doctor', '--json'], { env: { RIVULET_DATA: folder, RIVULET_PORT: '1' } });
    const message = expect.stringMatching(/ was written by a newer version of Rivulet\. Start that version again/);
    expect(JSON.parse(out)).toContainEqual({ check: 'folder', verdict: 'wrong', message });
    expect(code).toBe(1);
  });

  it('tries sandboxes as a start does: a program that is there may not do', async () => {
    const folder = mkdtempSync(join(home, 'programs-'));
    writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\necho bubblewrap 0.1.0\n', { mode: 0o755 });
    const found = async (env: Record<string, string>) => {
      const { out } = await rivulet(['doctor', '--json'], { env });
      return (JSON.parse(out) as { check: string }[]).find(({ check }) => check === 'sandbox');
    };
    expect(await found({ PATH: `${folder}:${process.env.PATH}`, RIVULET_SANDBOX: 'bwrap' })).toMatchObject({
      verdict: 'note',
      message: expect.stringMatching(
        /^commands of agents are refused\. No sandbox works.* 0\.1\.0 is too old\. bwrap: Install/,
      ),
    });
    expect(await found({ RIVULET_SANDBOX: 'off' })).toMatchObject({
      verdict: 'note',
      message: expect.stringContaining('turned off'),
    });
  });

  it('takes a program of Docker without an engine for no sandbox', async () => {
    const folder = mkdtempSync(join(home, 'programs-'));
    const program = '#!/bin/sh\n[ "$1" = --version ] && echo "Docker version 28" && exit 0\nexit 1\n';
    writeFileSync(join(folder, 'docker'), program, { mode: 0o755 });
    const settings = join(folder, 'sandbox.yaml');
    writeFileSync(settings, `docker: { socket: ${join(folder, 'no.sock')} }\n`);
    const env = { PATH: folder, RIVULET_SANDBOX_SETTINGS: settings };
    const { out } = await rivulet(['doctor', '--json'], { env });
    expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ check: 'sandbox', verdict: 'note' }));
  });

  it('leaves what a server at work has for its sandboxes as it is', async () => {
    const folder = join(server.folder, 'sandbox');
    const before = readdirSync(folder, { recursive: true }).sort();
    const { out } = await rivulet(['doctor', '--json']);
    expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ check: 'sandbox' }));
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
  });

  it.each(['bash', 'zsh', 'fish'])('completes commands and options in %s', async (shell) => {
    const { code, out } = await rivulet(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['follow', 'max-cost', 'reset']) expect(out).toContain(word);
    if (shell !== 'bash') return;
    const script = `${out}\nCOMP_WORDS=(rivulet run --max); COMP_CWORD=2; _rivulet; echo "\${COMPREPLY[*]}"`;
    const child = spawn('bash', ['-c', script]);
    let words = '';
    for await (const piece of child.stdout) words += piece;
    expect(words.trim().split(' ').sort()).toEqual(['--max-cost', '--max-turns']);
  });
});
