// Builds what is stale: the server with esbuild into dist/server, the dashboard with Vite into dist/web.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const force = process.argv.includes('--force');
const serverOnly = process.argv.includes('--server');

const parts = [
  {
    name: 'server',
    inputs: ['src', 'runtime', 'sandbox', 'scripts/build.mjs', 'package-lock.json'],
    skip: /^src\/web\//,
    build: buildServer,
  },
  {
    name: 'web',
    inputs: ['src/web', 'src/client', 'src/groups', 'src/contract', 'scripts/build.mjs', 'package-lock.json'],
    skip: /\.test\.ts$/,
    build: buildWeb,
  },
];

for (const part of parts) if (part.name === 'server' || !serverOnly) await buildIfStale(part);

async function buildIfStale({ name, inputs, skip, build }) {
  const stampFile = join(root, 'dist', `${name}.stamp`);
  const stamp = fingerprint(inputs, skip);
  if (!force && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  const started = performance.now();
  if (!(await build())) return;
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
  console.log(`built ${name} in ${Math.round(performance.now() - started)} ms`);
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

async function need(packageName) {
  try {
    return await import(packageName);
  } catch {
    console.error(
      `Building needs the development dependency "${packageName}". Run "npm install --include=dev", or start a built image.`,
    );
    process.exit(1);
  }
}

async function buildServer() {
  const { build } = await need('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts', 'src/demo/demo.ts'].filter((file) => existsSync(join(root, file))),
    outdir: 'dist/server',
    outbase: 'src',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
  });
  return true;
}

async function buildWeb() {
  const configFile = join(root, 'src/web/vite.config.ts');
  if (!existsSync(configFile)) return false;
  const { build } = await need('vite');
  await build({ root: join(root, 'src/web'), configFile, logLevel: 'warn' });
  return true;
}
