// The packages as their users get them: packed, installed from the tarballs alone into empty folders, and tried there.
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../support/child-server.ts';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
let home: string;
let copy: string;
let port: number;
/** Nothing of this checkout: an empty home, and Node with npm. */
const environment = () => ({ PATH: process.env.PATH, HOME: home, RIVULET_PORT: String(port), RIVULET_SANDBOX: 'off' });
const adminKey = `rvt_${'0123456789abcdef'.repeat(2)}`;
const program = () => join(home, 'node_modules/.bin/rivulet');

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'rivulet-package-'));
  port = await freePort();
  await copyCheckout();
  await run('npm', ['run', 'build'], { cwd: copy });
  await run('npm', ['pack', '--pack-destination', home], { cwd: copy });
  const tarball = (await readdir(home)).find((name) => name.endsWith('.tgz')) ?? '';
  // What this machine knows of the registry need not be asked for again.
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', [...install, join(home, tarball)], { cwd: home });
  await mkdir(join(home, 'work'));
}, 600_000);
afterAll(async () => {
  for (const folder of [home, copy]) await rm(folder, { recursive: true, force: true });
});

/** A build in place would take away the pages and programs that tests beside this one are using. */
async function copyCheckout(): Promise<void> {
  copy = await mkdtemp(join(tmpdir(), 'rivulet-checkout-'));
  const left = new Set(['node_modules', 'dist', 'data', '.git', '.cache']);
  await cp(root, copy, { recursive: true, filter: (path) => path === root || !left.has(basename(path)) });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
}

it('has no tests and no sources, but what the server needs', async () => {
  const files = await readdir(join(home, 'node_modules/rivulet'), { recursive: true });
  expect(files.filter((name) => /\.test\.|^(src|runtime|sandbox|test)\b/.test(name))).toEqual([]);
  expect(files).toContain('dist/web/index.html');
});

/** The client from its own tarball, in a folder where there is nothing else. */
async function installClient(): Promise<string> {
  const user = join(home, 'user');
  await mkdir(user);
  await writeFile(join(user, 'package.json'), '{ "type": "module" }');
  await run('npm', ['pack', '--pack-destination', user, './clients/javascript'], { cwd: copy });
  const tarball = (await readdir(user)).find((name) => name.endsWith('.tgz')) ?? '';
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(user, tarball)], { cwd: user });
  return user;
}

it('starts in an empty folder, serves its pages, and runs goals from the command line and by the client', async () => {
  const server = spawn(program(), ['start'], {
    cwd: join(home, 'work'),
    env: { ...environment(), RIVULET_ADMIN_KEY: adminKey },
  });
  const ended = new Promise<number | null>((done) => server.once('exit', done));
  let output = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (piece) => {
      output += piece;
    });
  await expect.poll(() => output).toContain('ready on');
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toContain('<html');
  expect((await fetch(`http://127.0.0.1:${port}/docs`)).status).toBe(200);
  const { stdout } = await run(program(), ['run', 'Say hello'], { cwd: join(home, 'work'), env: environment() });
  expect(stdout).toContain('■ Completed');
  const user = await installClient();
  const access = { RIVULET_URL: `http://127.0.0.1:${port}`, RIVULET_KEY: adminKey };
  const example = join(user, 'node_modules/rivulet-client/examples/follow-run.mjs');
  const told = await run(process.execPath, [example, 'Say hello'], { cwd: user, env: { ...environment(), ...access } });
  expect(told.stdout).toMatch(/\S+\nCompleted\n$/);
  expect(await readdir(join(user, 'node_modules'))).toEqual(['.package-lock.json', 'rivulet-client']);
  server.kill('SIGTERM');
  expect(await ended).toBe(0);
});

it('the client has types that need no other package', async () => {
  const user = join(home, 'user');
  const source = `
    import { createClient, type AgentRunDto } from 'rivulet-client';
    const client = createClient();
    const run: AgentRunDto = await client.agentRuns.create({ body: { goal: 'typed' } });
    for await (const event of client.stream(\`run:\${run.id}\`)) {
      if (event.type === 'run.delta') event.data.delta.toUpperCase();
      // @ts-expect-error a run has no such field
      if (event.type === 'run.ended') event.data.nonsense;
    }
    // @ts-expect-error a run needs a goal
    await client.agentRuns.create({ body: {} });
  `;
  await writeFile(join(user, 'typed.ts'), source);
  const flags = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext', '--types', ''];
  const lib = ['--lib', 'es2023,esnext.disposable,dom,dom.asynciterable'];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, ...flags, ...lib, 'typed.ts'], { cwd: user }).catch(
    (error) => error,
  );
  expect(stdout).toBe('');
});
