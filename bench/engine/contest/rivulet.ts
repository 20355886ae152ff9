// Rivulet as a whole: its HTTP API, its engine, and a store that keeps every step.
import { version } from '../../../src/version.ts';
import { mongoJavaServer, type ServerKind } from '../../../test/support/servers/mongo.ts';
import { pin } from '../../machine.ts';
import { adminKey, startRivulet } from '../../rivulet.ts';
import type { Contender, RunningServer } from './contender.ts';
import { call } from './http.ts';
import { bytesIn } from './kept.ts';
import { lastWords } from './provider.ts';

const authorization = { authorization: `Bearer ${adminKey}` };

interface Run {
  id: number;
  status: string;
  progressSummary: string | null;
}

async function start(provider: string, environment: Record<string, string>): Promise<RunningServer> {
  const server = await startRivulet({
    RIVULET_MODEL: 'openai:fake-model',
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: provider,
    ...environment,
  });
  pin(server.pid, 0);
  return {
    pids: () => [server.pid],
    ...(environment.MONGODB_URI === undefined && { disk: () => bytesIn(server.folder) }),
    async run() {
      const draft = { goal: 'Work in steps.', autoStart: true };
      const made = (await call(`${server.url}/api/agent/runs`, 'POST', draft, authorization)) as { data: Run };
      const path = `${server.url}/api/agent/runs/${made.data.id}/wait?timeoutMs=60000`;
      const { data } = (await call(path, 'GET', undefined, authorization)) as { data: Run };
      if (data.status !== 'Completed' || data.progressSummary !== lastWords) throw new Error(`a run is ${data.status}`);
    },
    stop: server.stop,
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
