// Rivulet as a whole: the server as `npm start` runs it, with its store, keys, permissions, cursors and log.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../src/client/index.ts';
import { loadConfig } from '../../src/config.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { startServer } from '../../src/server.ts';
import { version } from '../../src/version.ts';
import { adminKey } from '../rivulet.ts';
import { acceptEvents, type Contender, type EventData, type Running, upgrade } from './contender.ts';

const authorization = `Authorization: Bearer ${adminKey}`;
const subscribe = (topic: string) => `420["command",{"op":"Subscribe","id":"1","topics":["${topic}"]}]`;
/** The run that is followed: the first of a new store. */
const topic = 'run:1';
/** Events that are kept, in flight at once. */
const keepAtOnce = 500;

async function start(transport: 'uws' | 'node', durable: boolean): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-bench-'));
  const config = loadConfig({
    RIVULET_DATA: folder,
    RIVULET_PORT: '0',
    RIVULET_ADMIN_KEY: adminKey,
    RIVULET_SANDBOX: 'off',
    RIVULET_TRANSPORT: transport,
  });
  const server = await startServer({ config, log: silentLogger });
  const run = await createClient({ baseUrl: server.url, token: adminKey }).agentRuns.create({
    body: { goal: 'be watched' },
  });
  if (`run:${run.id}` !== topic) throw new Error(`the first run has the id ${run.id}`);
  const publish = (data: EventData, kept: boolean) =>
    server.publisher.publish({
      tenantId: 1,
      topics: [topic],
      type: kept ? 'run.event' : 'run.budget',
      data: data as never,
    });
  return {
    port: server.port,
    pids: [process.pid],
    send: (events) => {
      for (const data of events) void publish(data, durable);
    },
    keep: async (count) => {
      for (let kept = 0; kept < count; kept += keepAtOnce) {
        const events = Array.from({ length: Math.min(keepAtOnce, count - kept) }, (_, n) => n);
        await Promise.all(events.map((n) => publish({ n: kept + n, text: `^${'x'.repeat(150)}` }, true)));
      }
    },
    stop: async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const look = () => ({ version });
const socket = { kind: 'WebSocket', ours: true, look } as const;
const webSocket = { ...socket, path: `/api/ws?topics=${topic}`, headers: [...upgrade, authorization] };
const sse = {
  kind: 'SSE',
  ours: true,
  look,
  path: `/api/events?topics=${topic}`,
  headers: [acceptEvents, authorization],
} as const;

export const rivulet: readonly Contender[] = [
  { ...webSocket, name: 'Rivulet', start: () => start('uws', false) },
  { ...webSocket, name: 'Rivulet, durable events', start: () => start('uws', true) },
  { ...webSocket, name: 'Rivulet on node:http', start: () => start('node', false) },
  {
    ...socket,
    name: 'Rivulet, socket.io',
    path: '/socket.io/?EIO=4&transport=websocket',
    headers: upgrade,
    frames: [`40${JSON.stringify({ token: adminKey })}`, subscribe(topic)],
    start: () => start('uws', false),
  },
  { ...sse, name: 'Rivulet', start: () => start('uws', false) },
  { ...sse, name: 'Rivulet on node:http', start: () => start('node', false) },
];
