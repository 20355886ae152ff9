// Servers that speak Qdrant's REST interface: one that QDRANT_TEST_URL names, and fronts over its Python client and over
// its own engine.
import { execFile, spawn } from 'node:child_process';
import { access, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { alone } from '../building.ts';

const run = promisify(execFile);
/** Kept between runs; `RIVULET_CLIENTS_CACHE` lets CI keep it outside its clone. */
const cache = process.env.RIVULET_CLIENTS_CACHE ?? join(import.meta.dirname, '..', '.cache');

/** A program of this folder, and the package that it needs. */
interface Front {
  name: string;
  program: string;
  package: string;
  version: string;
}

/** All of the interface, but each search looks at each point in Python. */
const localMode: Front = {
  name: 'qdrant-client 1.20.0 behind HTTP',
  program: 'local-mode.py',
  package: 'qdrant-client',
  version: '1.20.0',
};
/** What a server of Qdrant searches with, without the server. */
const engine: Front = {
  name: 'the engine of qdrant-edge-py 0.9.0 behind HTTP',
  program: 'edge.py',
  package: 'qdrant-edge-py',
  version: '0.9.0',
};

export interface RunningQdrant {
  url: string;
  /** Of its process, where it was started here. */
  pid?: number | undefined;
  stop(): Promise<void>;
}

export interface QdrantKind {
  name: string;
  start(): Promise<RunningQdrant>;
}

/** Kinds that can be started here, the client's first; a kind whose tools are missing is left out, with the reason. */
export async function qdrantKinds(): Promise<{ kinds: QdrantKind[]; missing: string[] }> {
  const kinds: QdrantKind[] = [];
  const missing: string[] = [];
  for (const front of [localMode, engine])
    await install(front).then(
      () => kinds.push({ name: front.name, start: () => start(front) }),
      (error: Error) => missing.push(`${front.name}: ${error.message}`),
    );
  const url = process.env.QDRANT_TEST_URL;
  if (url) kinds.push({ name: `Qdrant at ${url}`, start: async () => ({ url, stop: async () => {} }) });
  return { kinds, missing };
}

/** The engine alone, for what is measured. */
export async function engineKind(): Promise<QdrantKind> {
  await install(engine);
  return { name: engine.name, start: () => start(engine) };
}

const folderOf = (front: Front) => join(cache, `${front.package}-${front.version}`);

/** Another file may install it at the same time, in a process of its own. */
async function install(front: Front): Promise<void> {
  const folder = folderOf(front);
  await alone(`${folder}-lock`, async () => {
    const there = await access(join(folder, 'bin', 'python')).then(
      () => true,
      () => false,
    );
    if (there) return;
    // Made under another name, so that one that was interrupted is not taken for whole.
    const making = `${folder}-${process.pid}`;
    try {
      await run('python3', ['-m', 'venv', making]);
      const wanted = `${front.package}==${front.version}`;
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', wanted];
      await run(join(making, 'bin', 'python'), pip);
      await rename(making, folder);
    } finally {
      await rm(making, { recursive: true, force: true });
    }
  });
}

/** The client's front; with a port, it comes back where it was before. */
export async function startFront(port = 0): Promise<RunningQdrant> {
  await install(localMode);
  return start(localMode, port);
}

async function start(front: Front, port = 0): Promise<RunningQdrant> {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-qdrant-'));
  // -B: no compiled files are left beside the programs.
  const words = ['-B', join(import.meta.dirname, front.program), String(port), folder];
  const child = spawn(join(folderOf(front), 'bin', 'python'), words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const [line] = await Promise.race([
    new Promise<string[]>((resolve) =>
      createInterface({ input: child.stdout }).once('line', (told) => resolve([told])),
    ),
    ended.then(() => Promise.reject(new Error('the front of Qdrant did not start'))),
  ]);
  return {
    url: `http://127.0.0.1:${line}`,
    pid: child.pid,
    async stop() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
