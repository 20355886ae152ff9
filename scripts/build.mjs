// Builds what is stale: the server with esbuild into dist/server, the dashboard with Vite into dist/web. With --force
// all of it, and the client as a package of its own into dist/client, which running a server does not need.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const lockFile = join(root, 'dist', 'build.lock');
const lockPollMs = 200;
const longestBuildMs = 120_000;
const force = process.argv.includes('--force');
const only = ['server', 'client'].find((name) => process.argv.includes(`--${name}`));

const parts = [
  {
    name: 'server',
    inputs: ['src', 'runtime', 'sandbox', 'scripts/build.mjs', 'scripts/server-bundle.json', 'package-lock.json'],
    skip: /^src\/web\//,
    build: buildServer,
  },
  {
    name: 'web',
    inputs: [
      ...['src/web', 'src/client', 'src/groups', 'src/contract', 'src/markdown'],
      ...['scripts/build.mjs', 'package-lock.json'],
    ],
    skip: /\.test\.ts$/,
    build: buildWeb,
  },
  {
    name: 'client',
    inputs: ['src/client', 'src/groups', 'src/contract', 'src/kernel', 'scripts/build.mjs', 'package-lock.json'],
    skip: /(\.test|service)\.ts$/,
    build: buildClient,
  },
];

for (const part of parts)
  if (part.name === only || (!only && (force || part.name !== 'client'))) await buildIfStale(part);

async function buildIfStale({ name, inputs, skip, build }) {
  const stampFile = join(root, 'dist', `${name}.stamp`);
  const stamp = fingerprint(inputs, skip);
  const isFresh = () => !force && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
  if (isFresh()) return;
  if (/[#?]/.test(root)) giveUp(`Vite cannot build in a folder with # or ? in its path. Rename it: ${root}`);
  await lock();
  try {
    // Another process may have built it meanwhile.
    if (isFresh()) return;
    const started = performance.now();
    if (!(await build())) return;
    writeFileSync(stampFile, stamp);
    console.log(`built ${name} in ${Math.round(performance.now() - started)} ms`);
  } finally {
    rmSync(lockFile, { force: true });
  }
}

/** Waits until no other process builds: two builds at once would write the same files. */
async function lock() {
  try {
    mkdirSync(dirname(lockFile), { recursive: true });
    accessSync(dirname(lockFile), constants.W_OK);
  } catch ({ message }) {
    giveUp(`Building needs to write here (${message}). Run "npm run build" as a user who may; a start only reads.`);
  }
  for (let waited = 0; ; waited += lockPollMs) {
    try {
      return writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (waited >= longestBuildMs || !isAtWork(lockFile)) rmSync(lockFile, { force: true });
    else await setTimeout(lockPollMs);
  }
}

/** Whether the process that holds a lock is there: one that was killed has left its file. */
function isAtWork(file) {
  try {
    const holder = Number(readFileSync(file, 'utf8'));
    return holder !== process.pid && process.kill(holder, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** A digest over path, size and time of every input file. */
function fingerprint(inputs, skip) {
  const hash = createHash('sha256');
  const visit = (path) => {
    const full = join(root, path);
    if (!existsSync(full)) return;
    const stat = statSync(full);
    if (stat.isDirectory()) {
      for (const entry of readdirSync(full).sort()) visit(`${path}/${entry}`);
    } else if (!skip.test(path)) hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\n`);
  };
  inputs.forEach(visit);
  return hash.digest('hex');
}

function giveUp(why) {
  console.error(why);
  process.exit(1);
}

async function need(packageName) {
  try {
    return await import(packageName);
  } catch {
    giveUp(
      `Building needs the development dependency "${packageName}". Run "npm install --include=dev", or start a built image.`,
    );
  }
}

async function buildServer() {
  const { build } = await need('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts', 'src/cli/rivulet.ts', 'src/heap-flags.ts'],
    outdir: 'dist/server',
    outbase: 'src',
    ...JSON.parse(readFileSync(join(root, 'scripts/server-bundle.json'), 'utf8')),
  });
  return true;
}

/** One module without dependencies, and the declarations of all that its types come from. */
async function buildClient() {
  const { build } = await need('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: ['src/client/index.ts'],
    outfile: 'dist/client/index.js',
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    sourcemap: true,
    logLevel: 'warning',
  });
  // The nearest package.json tells bundlers that they may drop what is not used.
  writeFileSync(join(root, 'dist/client/package.json'), '{ "type": "module", "sideEffects": false }\n');
  const types = join(root, 'dist/client/types');
  // All of them are made: what the compiler keeps of its last time says that there is nothing to do.
  rmSync(types, { recursive: true, force: true });
  execFileSync(
    process.execPath,
    // Whether the types are right is checked elsewhere, which takes as long as making them.
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'src/client', '--incremental', 'false', '--noCheck'],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
  for (const file of readdirSync(types, { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue;
    const text = readFileSync(join(types, file), 'utf8');
    // TypeScript leaves the endings of the sources in declarations.
    writeFileSync(join(types, file), text.replace(/((?:from|import\() ?'\.[^']*)\.ts'/g, "$1.js'"));
  }
  return true;
}

async function buildWeb() {
  const configFile = join(root, 'src/web/vite.config.ts');
  if (!existsSync(configFile)) return false;
  const { build } = await need('vite');
  await build({ root: join(root, 'src/web'), configFile, logLevel: 'warn' });
  compressFirst(join(root, 'dist/web'));
  return true;
}

/** What the page needs before it shows anything is compressed as far as it goes, which no visitor should wait for. */
function compressFirst(folder) {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  for (const [, path] of page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g))
    writeFileSync(join(folder, `${path}.br`), brotliCompressSync(readFileSync(join(folder, path))));
}
