// Two processes on MongoDB's protocol and Redis: the one that is at the routines is killed, and what was due is done once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { adminKey, type ChildServer } from '../support/child-server.ts';
import { type Nodes, nodesMissing, startNodes } from '../support/nodes.ts';

const missing = await nodesMissing();
if (missing) console.warn(`skipped: ${missing}`);

describe.skipIf(missing !== null)('routines on two nodes', () => {
  let nodes: Nodes;
  beforeAll(async () => {
    nodes = await startNodes(2, { RIVULET_MODEL: 'scripted:echo' });
  }, 300_000);
  afterAll(() => nodes?.close());

  const clientOf = (server: ChildServer) => createClient({ baseUrl: server.baseUrl, token: adminKey });
  const many = 12;

  // Whichever of the two has the job of the alarm: one of both rounds kills it.
  it.each([0, 1])(
    'are run once, within 30 s, when node %i is killed amid them',
    async (victim) => {
      const dying = nodes.servers[victim] as ChildServer;
      const staying = clientOf(nodes.servers[1 - victim] as ChildServer);
      const runOnceAtUtc = new Date(Date.now() + 8000).toISOString();
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
});
