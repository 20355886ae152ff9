// Rivulet as a whole: its HTTP API, its engine, and a store that keeps every step.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../../src/version.ts';
import { mongoJavaServer, type ServerKind } from '../../../test/support/servers/mongo.ts';
import { bundle, startFlags } from '../../bundle.ts';
import { pin } from '../../machine.ts';
import type { Contender, RunningServer } from './contender.ts';
import { call } from './http.ts';
import { bytesIn } from './kept.ts';
import { lastWords } from './provider.ts';

const key = 'rvt_key-of-the-benchmark-0123456789012';
const authorization = { authorization: `Bearer ${key}` };

/** Built once, when the first server starts. */
let program: Promise<string> | undefined;

interface Run {
  id: number;
  status: string;
  progressSummary: string | null;
}

async function start(provider: string, environment: Record<string, string>): Promise<RunningServer> {
  program ??= bundle(join(import.meta.dirname, 'rivulet-server.ts'));
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-bench-'));
  const child: ChildProcess = fork(await program, {
    execArgv: startFlags(),
    env: {
      PATH: process.env.PATH,
      RIVULET_DATA: folder,
      RIVULET_PORT: '0',
      RIVULET_ADMIN_KEY: key,
      RIVULET_SANDBOX: 'off',
      RIVULET_MODEL: 'openai:fake-model',
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: provider,
      ...environment,
    },
  });
  pin(child.pid, 0);
  const { url } = await new Promise<{ url: string }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { url: string }));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return {
    pids: () => [child.pid ?? 0],
    ...(environment.MONGODB_URI === undefined && { disk: () => bytesIn(folder) }),
    async run() {
      const draft = { goal: 'Work in steps.', autoStart: true };
      const made = (await call(`${url}/api/agent/runs`, 'POST', draft, authorization)) as { data: Run };
      const path = `${url}/api/agent/runs/${made.data.id}/wait?timeoutMs=60000`;
      const { data } = (await call(path, 'GET', undefined, authorization)) as { data: Run };
      if (data.status !== 'Completed' || data.progressSummary !== lastWords) throw new Error(`a run is ${data.status}`);
    },
    async stop() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const onMongo = (kind: ServerKind): Contender => ({
  name: `Rivulet on ${kind.name}`,
  ours: true,
  look: () => ({ version }),
  async start(provider) {
    const missing = await kind.missing();
    if (missing) throw new Error(missing);
    const store = await kind.start();
    const server = await start(provider, { MONGODB_URI: store.uri });
    return {
      ...server,
      stop: async () => {
        await server.stop();
        await store.stop();
      },
    };
  },
});

export const rivulet: readonly Contender[] = [
  { name: 'Rivulet', ours: true, look: () => ({ version }), start: (provider) => start(provider, {}) },
  onMongo(mongoJavaServer),
];
