// The package as its users get it: packed, installed from the tarball alone into an empty folder, and started there.
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
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
const program = () => join(home, 'node_modules/.bin/rivulet');

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'rivulet-package-'));
  port = await freePort();
  await copyCheckout();
  await run('npm', ['run', 'build'], { cwd: copy });
  await run('npm', ['pack', '--pack-destination', home], { cwd: copy });
  const tarball = (await readdir(home)).find((name) => name.endsWith('.tgz')) ?? '';
  await run('npm', ['install', '--no-audit', '--no-fund', join(home, tarball)], { cwd: home });
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

it('starts in an empty folder, serves its pages, and runs a goal from the command line', async () => {
  const server = spawn(program(), ['start'], { cwd: join(home, 'work'), env: environment() });
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
  server.kill('SIGTERM');
  expect(await ended).toBe(0);
});
