// Two processes on MongoDB's protocol and Redis: the one that is at the routines is killed, and what was due is done once.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { adminKey, type ChildServer } from '../support/child-server.ts';
import { type Nodes, nodesMissing, startNodes } from '../support/nodes.ts';

const missing = await nodesMissing();
if (missing) console.warn(`skipped: ${missing}`);

describe.skipIf(missing !== null)('routines on two nodes', () => {
  let nodes: Nodes;
  let receiver: Server;
  const arrived: string[] = [];
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      arrived.push(String(request.headers['webhook-id']));
      request.resume().on('end', () => response.end());
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    nodes = await startNodes(2, { RIVULET_MODEL: 'scripted:echo' });
  }, 300_000);
  afterAll(async () => {
    await nodes?.close();
    receiver.closeAllConnections();
    await new Promise((done) => receiver.close(done));
  });

  const clientOf = (server: ChildServer) => createClient({ baseUrl: server.baseUrl, token: adminKey });
  const many = 12;

  // Whichever of the two has the job of the alarm: one of both rounds kills it.
  it.each([0, 1])(
    'are run once, within 30 s, when node %i is killed amid them',
    async (victim) => {
      const dying = nodes.servers[victim] as ChildServer;
      const staying = clientOf(nodes.servers[1 - victim] as ChildServer);
      const runOnceAtUtc = new Date(Date.now() + 5000).toISOString();
      const ids = await Promise.all(
        Array.from({ length: many }, async (_, at) => {
          const body = {
            name: `${victim} ${at}`,
            briefMarkdown: 'Say it.',
            scheduleKindId: 'Once' as const,
            runOnceAtUtc,
          };
          return (await staying.agentRoutines.create({ body })).id;
        }),
      );
      const ledger = async () => {
        const all = await Promise.all(ids.map((id) => staying.agentRoutines.runs({ params: { id }, query: {} })));
        return all.flatMap(({ items }) => items);
      };
      await expect.poll(async () => (await ledger()).length, { timeout: 40_000, interval: 20 }).toBeGreaterThan(0);
      await dying.kill();
      await expect
        .poll(async () => (await ledger()).filter((row) => row.runCompletedAtUtc !== null).length, {
          timeout: 60_000,
          interval: 200,
        })
        .toBe(many);
      const rows = await ledger();
      expect(rows).toHaveLength(many);
      expect(new Set(rows.map((row) => row.agentRunId)).size).toBe(many);
      expect(rows.every((row) => ['Succeeded', 'NoChange'].includes(row.outcomeId))).toBe(true);
      for (const row of rows) expect(Date.parse(row.createdAtUtc) - Date.parse(row.dueAtUtc)).toBeLessThan(30_000);
      const { totalCount } = await staying.agentRuns.list({ query: {} });
      expect(totalCount).toBe(many * (victim + 1));
      await dying.start();
    },
    180_000,
  );

  it('are woken once by an event whose node is killed as it is told, and webhooks get it once', async () => {
    arrived.length = 0;
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const [dying, other] = nodes.servers as [ChildServer, ChildServer];
    const staying = clientOf(other);
    const [eventPattern, filterJson] = ['routine.updated', '{"name":"the cause"}'];
    // It is always quiet, so each wake is a row and nothing runs.
    const quietHoursJson = '[{"from":"00:00","to":"12:00"},{"from":"12:00","to":"00:00"}]';
    const ids = await Promise.all(
      Array.from({ length: many }, async (_, at) => {
        const body = { name: `e ${at}`, briefMarkdown: 'Look.', scheduleKindId: 'Event' as const, quietHoursJson };
        const { id } = await staying.agentRoutines.create({ body });
        await staying.agentRoutines.createTrigger({ params: { id }, body: { eventPattern, filterJson } });
        const hook = { name: `e ${at}`, url, eventTypes: [eventPattern], filterJson };
        const { webhook } = await staying.webhooks.create({ body: hook });
        return [id, webhook.id] as const;
      }),
    );
    // The other node has seen none of them for up to 2 s.
    const made = Date.now();
    await expect.poll(() => Date.now() - made).toBeGreaterThan(2000);
    const watch = new AbortController();
    const events = staying.stream('routines', { signal: watch.signal, cursor: '0' });
    const seen = (async () => {
      for await (const { type, data } of events)
        if (type === 'routine.updated' && (data as { name?: string }).name === 'the cause') return;
    })();
    const writing = clientOf(dying)
      .agentRoutines.create({ body: { name: 'the cause', briefMarkdown: 'Look.', scheduleKindId: 'Manual' } })
      .catch(() => {});
    await seen;
    await dying.kill();
    watch.abort();
    await writing;
    const entered = async () => ({
      rows: await Promise.all(
        ids.map(async ([id]) => {
          const { items } = await staying.agentRoutines.runs({ params: { id }, query: {} });
          return items.map((row) => `${row.triggerSourceId} ${row.outcomeId}`);
        }),
      ),
      deliveries: await Promise.all(
        ids.map(async ([, id]) => {
          const { items } = await staying.webhooks.listDeliveries({ params: { id }, query: {} });
          return items.map(({ status }) => status);
        }),
      ),
    });
    const once = (word: string) => Array(many).fill([word]);
    await expect
      .poll(entered, { timeout: 60_000, interval: 500 })
      .toEqual({ rows: once('Event SkippedQuietHours'), deliveries: once('Delivered') });
    // What may have arrived twice has one id.
    expect(new Set(arrived).size).toBe(many);
    await dying.start();
  }, 180_000);
});
