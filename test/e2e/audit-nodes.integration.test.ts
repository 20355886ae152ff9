// The audit log of two nodes on one MongoDB-compatible store and one Redis: one chain, whoever writes and whoever dies.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChildServer } from '../support/child-server.ts';
import { type Nodes, nodesMissing, startNodes } from '../support/nodes.ts';
import { request } from '../support/test-server.ts';

const missing = await nodesMissing();
if (missing) console.warn(`skipped: ${missing}`);

describe.skipIf(missing !== null)('the audit log of two nodes', () => {
  let nodes: Nodes;
  let a: ChildServer;
  let b: ChildServer;
  beforeAll(async () => {
    nodes = await startNodes(2);
    [a, b] = nodes.servers as [ChildServer, ChildServer];
  });
  afterAll(async () => nodes?.close());

  const call = (server: ChildServer, method: string, path: string, body?: unknown) =>
    request(server.baseUrl, method, path, body, { authorization: `Bearer ${server.key}` });
  const verify = async (server: ChildServer) =>
    (await call(server, 'POST', '/api/system/maintenance', { task: 'VerifyAuditChain' })).body.data;
  const answered: string[] = [];
  const ofDead: string[] = [];
  const holds = { state: 'Succeeded', errorMessage: null };

  /** Makes roles until the server is gone; notes the requests that were answered. */
  const write = async (server: ChildServer, name: string, answered: string[], until: () => boolean) => {
    for (let i = 0; !until(); i++) {
      const answer = await call(server, 'POST', '/api/roles', { name: `${name}-${i}` }).catch(() => null);
      if (answer?.status !== 200) return;
      answered.push(answer.body.requestId);
    }
  };

  it('verifies on both after both wrote at once and one was killed in the middle of it', async () => {
    let over = false;
    const writers = Array.from({ length: 4 }, (_, i) => [
      write(a, `a${i}`, ofDead, () => over),
      write(b, `b${i}`, answered, () => over),
    ]).flat();
    await expect.poll(() => Math.min(answered.length, ofDead.length)).toBeGreaterThan(30);
    await a.kill();
    const before = answered.length;
    // The other one goes on.
    await expect.poll(() => answered.length).toBeGreaterThan(before + 30);
    over = true;
    await Promise.all(writers);
    const verdict = await verify(b);
    expect(verdict).toMatchObject(holds);
    expect(verdict.processed).toBeGreaterThanOrEqual(answered.length + ofDead.length);
    await a.start();
    expect(await verify(a)).toMatchObject(holds);
    expect(await verify(b)).toMatchObject(holds);
  });

  it('has every write that was answered, whichever node did, each once', async () => {
    const told = new Map<string, number>();
    for (let page = 1; ; page++) {
      const path = `/api/audit-events?action=Roles_create&outcome=Success&sort=seq&pageSize=200&page=${page}`;
      const { items } = (await call(b, 'GET', path)).body.data;
      for (const { requestId } of items) told.set(requestId, (told.get(requestId) ?? 0) + 1);
      if (items.length < 200) break;
    }
    expect([...answered, ...ofDead].filter((id) => !told.has(id))).toEqual([]);
    expect([...told.values()].every((count) => count === 1)).toBe(true);
    const [newest] = (await call(a, 'GET', '/api/audit-events?action=Roles_create&pageSize=1')).body.data.items;
    expect((await call(b, 'GET', `/api/audit-events/${newest.id}`)).body.data.chainValid).toBe(true);
  });
});
