// Builds the server for children of tests: as users have it, and as one file with its dependencies, which starts with
// its code compiled in half of the time.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { alone, unlessBuilt } from '../building.ts';

const root = resolve(import.meta.dirname, '../../..');
/** Each version of Node has its own, since suites of several run side by side. */
const folder = join(root, 'node_modules/.cache', `rivulet-child-${process.version}`);
const program = join(folder, 'main.cjs');
const starter = join(import.meta.dirname, 'start.cjs');

/** Arguments of Node for the server as one file. */
export const asOneFile: readonly string[] = [starter, program];
/** The same for the server as users have it. */
export const asBuilt: readonly string[] = ['dist/server/main.js'];

let served: Promise<unknown> | undefined;
let built: Promise<void> | undefined;
/** Builds what is stale of what these arguments of Node need, once a test process. */
export const buildChild = (wanted: readonly string[] = asOneFile): Promise<unknown> => {
  if (wanted !== asOneFile) return buildServer();
  built ??= alone(folder, async () => {
    await buildServer();
    await unlessBuilt(folder, await fingerprint(), async () => {
      await bundle();
      await keepCode();
    });
  });
  return built;
};

function buildServer(): Promise<unknown> {
  served ??= promisify(execFile)(process.execPath, ['scripts/build.mjs', '--server'], { cwd: root });
  return served;
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  for (const file of [join(root, 'dist/server.stamp'), starter, import.meta.filename])
    hash.update(await readFile(file));
  return hash.digest('hex');
}

/** What is imported while the server runs is found where it is installed, as what is not JavaScript. */
const stayOutside: Plugin = {
  name: 'stay outside',
  setup: (build) =>
    build.onResolve({ filter: /^[@a-z]/ }, ({ kind }) => (kind === 'dynamic-import' ? { external: true } : null)),
};

async function bundle(): Promise<void> {
  const { outputFiles } = await build({
    write: false,
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outfile: program,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    // Read byte by byte.
    charset: 'ascii',
    minifyWhitespace: true,
    logLevel: 'error',
    plugins: [stayOutside],
    external: ['libsql', '@node-rs/*', 'uWebSockets.js', 'mongodb-client-encryption'],
    define: { 'import.meta.url': 'placeUrl', 'import.meta.resolve': 'require.resolve' },
    banner: { js: "const placeUrl = require('node:url').pathToFileURL(__filename).href;" },
  });
  // Kept code has no loader of modules of its own: it is handed one, by a name that nothing in it has.
  const text = outputFiles.map((file) => file.text).join('');
  await writeFile(program, text.replaceAll(/(?<![\w$.])import\("/g, 'importOutside("'));
}

/** A server that has started knows which code a start needs. */
async function keepCode(): Promise<void> {
  await rm(join(folder, 'code'), { force: true });
  const data = await mkdtemp(join(tmpdir(), 'rivulet-child-code-'));
  const environment = { RIVULET_DATA: data, RIVULET_PORT: '0', RIVULET_LOG: 'warn', RIVULET_SANDBOX: 'off' };
  const child = spawn(process.execPath, asOneFile, {
    cwd: root,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const read = (piece: Buffer) => {
    output += piece;
    if (String(piece).includes('ready on ')) child.kill('SIGUSR2');
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const code = await new Promise((done) => child.once('close', done));
  await rm(data, { recursive: true, force: true });
  if (code !== 0) throw new Error(`the server as one file ended with ${code}:\n${output}`);
}
