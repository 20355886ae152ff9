// What an operator sees of two nodes on MongoDB's protocol and Redis: nodes, queues, stores, logs and readiness; and work that is left is claimed once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient, type SystemReadinessDto } from '../../src/client/index.ts';
import type { ChildServer } from '../support/child-server.ts';
import { type Nodes, nodesMissing, startNodes } from '../support/nodes.ts';
import { request } from '../support/test-server.ts';

const missing = await nodesMissing();
if (missing) console.warn(`skipped: ${missing}`);
const patience = { timeout: 60_000, interval: 100 };

describe.skipIf(missing !== null)('two nodes', () => {
  let nodes: Nodes;
  let a: ChildServer;
  let b: ChildServer;
  let onA: Client;
  let onB: Client;
  beforeAll(async () => {
    nodes = await startNodes(2, { RIVULET_MODEL: 'scripted:hello', RIVULET_LOG: 'info' });
    [a, b] = nodes.servers as [ChildServer, ChildServer];
    [onA, onB] = [a, b].map(({ baseUrl, key }) => createClient({ baseUrl, token: key })) as [Client, Client];
  }, 300_000);
  afterAll(async () => nodes?.close());

  const call = (server: ChildServer, method: string, path: string, body?: unknown) =>
    request(server.baseUrl, method, path, body, { authorization: `Bearer ${server.key}` });

  it('know of each other, and of a node that leaves and comes back', async () => {
    const pids = async (client: Client) => (await client.infrastructure.nodes({ query: {} })).map(({ pid }) => pid);
    await expect.poll(() => pids(onA), patience).toEqual([a.pid, b.pid]);
    await expect.poll(() => pids(onB), patience).toEqual([b.pid, a.pid]);
    await a.stop();
    await expect.poll(() => pids(onB), patience).toEqual([b.pid]);
    await a.start();
    await expect.poll(() => pids(onB), patience).toEqual([b.pid, a.pid]);
    for (const client of [onA, onB]) {
      const stores = await client.infrastructure.stores();
      expect(stores.map(({ kind, mode, state }) => `${kind} ${mode} ${state}`)).toEqual([
        'MongoDb External Healthy',
        'Qdrant Disabled Healthy',
        'Redis External Healthy',
        'FileSystem Embedded Healthy',
      ]);
      expect(stores[0]?.collections.map(({ name }) => name)).toContain('agent_runs');
    }
  });

  it('hold a queue that was paused on the other, and go on when it is resumed', async () => {
    const control = (client: Client, body: { action: 'Pause' | 'Resume' }) =>
      client.infrastructure.control({ params: { name: 'runs' }, body });
    const paused = async (client: Client) =>
      (await client.infrastructure.queues()).find(({ name }) => name === 'runs')?.paused;
    await control(onA, { action: 'Pause' });
    await expect.poll(() => paused(onB), patience).toBe(true);
    const { id } = await onB.agentRuns.create({ body: { goal: 'Wait.', autoStart: true } });
    const jobs = await onA.infrastructure.jobs({ params: { name: 'runs' }, query: { state: 'Queued' } });
    expect(jobs.items.map((job) => job.id)).toEqual([String(id)]);
    expect((await onB.agentRuns.get({ params: { id } })).status).toBe('Queued');
    await control(onB, { action: 'Resume' });
    await expect.poll(() => paused(onA), patience).toBe(false);
    await expect.poll(async () => (await onA.agentRuns.get({ params: { id } })).status, patience).toBe('Completed');
  });

  it('tail the log of both, each line once and in order', async () => {
    const stop = new AbortController();
    const url = `${a.baseUrl}/api/system-logs/stream?backlog=0`;
    const tail = await fetch(url, { headers: { authorization: `Bearer ${a.key}` }, signal: stop.signal });
    const lines: { id: number; requestId: string | null }[] = [];
    const reading = (async () => {
      let text = '';
      for await (const part of tail.body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(part).toString();
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) {
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (data) lines.push(JSON.parse(data));
        }
      }
    })().catch(() => undefined);
    const asked: string[] = [];
    for (let at = 0; at < 20; at++)
      for (const server of [a, b])
        asked.push((await call(server, 'POST', '/api/roles', { name: `${server.port} ${at}` })).body.requestId);
    const told = () => asked.map((one) => lines.filter(({ requestId }) => requestId === one).length);
    await expect.poll(told, patience).toEqual(asked.map(() => 1));
    stop.abort();
    await reading;
    expect(lines.map(({ id }) => id)).toEqual(lines.map(({ id }) => id).sort((one, other) => one - other));
    const found = (await onB.systemLogs.list({ query: { requestId: asked[0] as string } })).items;
    expect(found).toHaveLength(1);
  });

  it('give each hand-off to one alone, whoever claims it where', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await onA.session.leave({ body: { title: `Round ${round}`, summary: 'Go on here.' } });
      const claims = Array.from({ length: 30 }, (_, at) =>
        call(at % 2 ? a : b, 'POST', `/api/session/handoffs/${id}/claim`, {}),
      );
      const answers = await Promise.all(claims);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    }
  });

  it('say what is missing while Redis or the database does not answer', async () => {
    const ready = async () => (await call(a, 'GET', '/api/system/ready')).body;
    const states = ({ checks }: SystemReadinessDto) =>
      Object.fromEntries(checks.map(({ name, state }) => [name, state]));
    expect((await ready()).data).toMatchObject({ ready: true, status: 'Healthy' });
    // A process that is told to stop may still answer what comes in that moment.
    nodes.redis.freeze(true);
    await expect.poll(async () => (await ready()).data, patience).toMatchObject({ ready: true, status: 'Degraded' });
    expect(states((await ready()).data)).toMatchObject({ Redis: 'Unhealthy', 'store (MongoDB)': 'Healthy' });
    nodes.redis.freeze(false);
    await expect.poll(async () => (await ready()).data.status, patience).toBe('Healthy');

    const { store } = nodes;
    if (!store.freeze) return console.warn('skipped: the database at MONGODB_URI is not ours to freeze');
    store.freeze(true);
    const error = expect.stringContaining('store (MongoDB) is not ready: ');
    await expect
      .poll(() => call(a, 'GET', '/api/system/ready'), patience)
      .toMatchObject({ status: 503, body: { errorCode: 'NOT_READY', error } });
    expect((await call(a, 'GET', '/api/system/health')).body.data.status).toBe('Healthy');
    store.freeze(false);
    await expect.poll(async () => (await ready()).data?.status, patience).toBe('Healthy');
  });
});
