// A server that speaks Qdrant's REST interface: one that QDRANT_TEST_URL names, and a front over its Python client.
import { execFile, spawn } from 'node:child_process';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);
const version = '1.20.0';
/** Kept between runs; `RIVULET_CLIENTS_CACHE` lets CI keep it outside its clone. */
const cache = process.env.RIVULET_CLIENTS_CACHE ?? join(import.meta.dirname, '..', '.cache');
const folder = join(cache, `qdrant-client-${version}`);

export interface RunningQdrant {
  url: string;
  stop(): Promise<void>;
}

export interface QdrantKind {
  name: string;
  start(): Promise<RunningQdrant>;
}

/** Kinds that can be started here; a kind whose tools are missing is left out, with the reason. */
export async function qdrantKinds(): Promise<{ kinds: QdrantKind[]; missing: string | null }> {
  const url = process.env.QDRANT_TEST_URL;
  const named: QdrantKind[] = url
    ? [{ name: `Qdrant at ${url}`, start: async () => ({ url, stop: async () => {} }) }]
    : [];
  const missing = await install().then(
    () => null,
    (error: Error) => error.message,
  );
  const front: QdrantKind = { name: `qdrant-client ${version} behind HTTP`, start: () => startFront() };
  return { kinds: missing ? named : [front, ...named], missing };
}

async function install(): Promise<void> {
  const there = await access(join(folder, 'bin', 'python')).then(
    () => true,
    () => false,
  );
  if (there) return;
  // Made under another name, so that one that was interrupted is not taken for whole.
  const making = `${folder}-${process.pid}`;
  await mkdir(dirname(folder), { recursive: true });
  try {
    await run('python3', ['-m', 'venv', making]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `qdrant-client==${version}`];
    await run(join(making, 'bin', 'python'), pip);
    await rename(making, folder);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

/** With a port, it comes back where it was before. */
export async function startFront(port = 0): Promise<RunningQdrant> {
  await install();
  const program = join(import.meta.dirname, 'front.py');
  const child = spawn(join(folder, 'bin', 'python'), [program, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const [line] = await Promise.race([
    new Promise<string[]>((resolve) =>
      createInterface({ input: child.stdout }).once('line', (told) => resolve([told])),
    ),
    ended.then(() => Promise.reject(new Error('the front of Qdrant did not start'))),
  ]);
  return {
    url: `http://127.0.0.1:${line}`,
    async stop() {
      child.kill();
      await ended;
    },
  };
}
