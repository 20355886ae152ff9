// Two servers on one store and one Redis: what a key may have and do counts on both together.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import type { ChildServer } from '../support/child-server.ts';
import { type Nodes, nodesMissing, startNodes } from '../support/nodes.ts';
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

  beforeAll(async () => {
    nodes = await startNodes(2, { RIVULET_KEY_CONNECTIONS: String(connectionsPerKey), RIVULET_KEY_REQUESTS: '20' });
    [a, b] = nodes.servers as [ChildServer, ChildServer];
  });
  afterAll(async () => nodes?.close());

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
});
