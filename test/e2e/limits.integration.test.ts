// Two servers on one store and one Redis: what a key may have and do counts on both together.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import type { ChildServer } from '../support/child-server.ts';
import { type Nodes, nodesMissing, startNodes } from '../support/nodes.ts';
import { request } from '../support/test-server.ts';
import { openSocket, type TestSocket } from '../support/web-socket.ts';

const missing = await nodesMissing();
if (missing) console.warn(`skipped: ${missing}`);

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const patience = { timeout: 60_000, interval: 100 };
const connectionsPerKey = 4;

describe.skipIf(missing !== null)('limits of a key on two nodes', () => {
  let nodes: Nodes;
  let a: ChildServer;
  let b: ChildServer;
  let scenarios: string;

  beforeAll(async () => {
    scenarios = await mkdtemp(join(tmpdir(), 'rivulet-limits-'));
    const slow = { turns: [{ text: 'word '.repeat(60) }], chunkSize: 5, chunkDelayMs: 50 };
    await writeFile(join(scenarios, 'slow.json'), JSON.stringify(slow));
    nodes = await startNodes(2, {
      RIVULET_KEY_CONNECTIONS: String(connectionsPerKey),
      RIVULET_KEY_REQUESTS: '20',
      RIVULET_SCENARIOS: scenarios,
    });
    [a, b] = nodes.servers as [ChildServer, ChildServer];
  });
  afterAll(async () => {
    await nodes?.close();
    await rm(scenarios, { recursive: true, force: true });
  });

  const call = async (server: ChildServer, method: string, path: string, body?: unknown) => {
    const answer = await request(server.baseUrl, method, path, body, bearer(server.key));
    expect(answer.body.error).toBeNull();
    return answer.body.data;
  };
  const setPolicy = async (change: object) => {
    const { version: _v, updatedByName: _n, updatedAtUtc: _u, ...policy } = await call(a, 'GET', '/api/tenant-policy');
    await call(a, 'PUT', '/api/tenant-policy', { ...policy, ...change });
    for (const node of [a, b])
      await expect.poll(() => call(node, 'GET', '/api/tenant-policy'), patience).toMatchObject(change);
  };

  const newKey = async (name: string) => {
    const client = createClient({ baseUrl: a.baseUrl, token: a.key });
    const { id } = await client.identities.create({ body: { name } });
    return (await client.identityKeys.create({ params: { identityId: id }, body: { name: 'key' } })).rawKey;
  };
  /** A socket that stays; null where it is refused. */
  const connect = async (server: ChildServer, key: string): Promise<TestSocket | null> => {
    const socket = await openSocket(server.baseUrl, bearer(key));
    if (socket.frames.some(({ op }) => op === 'Hello')) return socket;
    expect((await socket.closed).code).toBe(4029);
    return null;
  };
  /** Whether one more would be let in. */
  const hasRoom = (server: ChildServer, key: string) => async () => {
    const socket = await connect(server, key);
    socket?.end();
    return socket !== null;
  };

  it('connections: one node refuses what the other has used up, until they close or their node dies', async () => {
    const key = await newKey('connects');
    const sockets: (TestSocket | null)[] = [];
    for (let at = 0; at < connectionsPerKey; at++) sockets.push(await connect(a, key));
    expect(sockets).not.toContain(null);
    await expect.poll(hasRoom(b, key), patience).toBe(false);
    sockets[0]?.end();
    await expect.poll(hasRoom(b, key), patience).toBe(true);
    // The trial's own end must be known on the first node before it can take the place again.
    await expect.poll(async () => (await connect(a, key)) !== null, patience).toBe(true);
    await expect.poll(hasRoom(b, key), patience).toBe(false);
    await a.kill();
    await expect.poll(hasRoom(b, key), patience).toBe(true);
    await a.start();
  });

  it('requests: one node refuses a key that spends all on the other', async () => {
    const key = await newKey('asks');
    const ask = async (server: ChildServer) => {
      const response = await fetch(`${server.baseUrl}/api/agent/tools`, { headers: bearer(key) });
      await response.body?.cancel();
      return response.status;
    };
    expect(await ask(b)).toBe(200);
    const stop = new AbortController();
    const spender = (async () => {
      while (!stop.signal.aborted) await ask(a).catch(() => null);
    })();
    try {
      // By itself this asks for half of what it may.
      await expect.poll(() => ask(b), patience).toBe(429);
    } finally {
      stop.abort();
      await spender;
    }
    await expect.poll(() => ask(b), patience).toBe(200);
  });

  it('requests a minute of a tenant: one node refuses a key that has had them on the other', async () => {
    const key = await newKey('asks by the minute');
    const ask = async (server: ChildServer) =>
      (await request(server.baseUrl, 'GET', '/api/agent/tools', undefined, bearer(key))).status;
    await setPolicy({ requestsPerMinutePerKey: 10 });
    try {
      for (let at = 0; at < 10; at++) expect(await ask(a)).toBe(200);
      let passed = -1;
      const asked = async () => {
        passed++;
        return ask(b);
      };
      await expect.poll(asked, patience).toBe(429);
      // By itself it would have let ten through.
      expect(passed).toBeLessThan(10);
    } finally {
      await setPolicy({ requestsPerMinutePerKey: 60_000 });
    }
  });

  it('runs at work of a tenant: one node waits while the other has as many as are allowed', async () => {
    await setPolicy({ maxConcurrentRuns: 1 });
    const run = (server: ChildServer) =>
      call(server, 'POST', '/api/agent/runs', { goal: 'Speak', modelId: 'scripted:slow', autoStart: true });
    const first = await run(a);
    await expect
      .poll(async () => (await call(b, 'GET', `/api/agent/runs/${first.id}`)).status, patience)
      .toBe('Running');
    const others = [await run(b), await run(a), await run(b)];
    const all = [first, ...others];
    // A key may ask twenty times a second.
    const ended = async () =>
      Promise.all(
        all.map(async ({ id }) => {
          const { status, failureReason } = await call(b, 'GET', `/api/agent/runs/${id}`);
          return failureReason ?? status;
        }),
      );
    await expect.poll(ended, { ...patience, interval: 1000 }).toEqual(all.map(() => 'Completed'));
    const spans = await Promise.all(
      all.map(async ({ id }) => {
        const { startedAtUtc, completedAtUtc } = await call(b, 'GET', `/api/agent/runs/${id}`);
        return [Date.parse(startedAtUtc), Date.parse(completedAtUtc)] as const;
      }),
    );
    spans.sort(([x], [y]) => x - y);
    const overlaps = spans.filter(([start], at) => at > 0 && start < (spans[at - 1]?.[1] ?? 0));
    expect(overlaps).toEqual([]);
  });
});
