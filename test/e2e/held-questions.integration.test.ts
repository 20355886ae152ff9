// Questions of MCP servers that hang on open calls, on two processes: answered on either, and lost with a process that is killed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { adminKey, type ChildServer } from '../support/child-server.ts';
import { askingOnStreams, type McpHost, startMcpHost } from '../support/mcp-host.ts';
import { type Nodes, nodesMissing, startNodes } from '../support/nodes.ts';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';

const missing = await nodesMissing();
if (missing) console.warn(`skipped: ${missing}`);

/** Runs of each node in a round. */
const many = 3;
const form = ({ text }: Record<string, unknown>) => ({
  method: 'elicitation/create',
  params: {
    ...{ mode: 'form', message: `How ${text}?` },
    requestedSchema: { type: 'object', properties: { feet: { type: 'integer' } } },
  },
});

describe.skipIf(missing !== null)('questions that hang on calls, on two nodes', () => {
  let model: FakeServer;
  let host: McpHost;
  let nodes: Nodes;
  const heard: unknown[] = [];
  const clientOf = ({ baseUrl }: ChildServer) => createClient({ baseUrl, token: adminKey });
  type Client = ReturnType<typeof clientOf>;
  let clients: [Client, Client];

  beforeAll(async () => {
    [model, host] = await Promise.all([startFakeServer(), startMcpHost({})]);
    // Calls the tool once, and ends with what it was told.
    model.otherwise = ({ body }) => {
      const told = body.messages.find(({ role }: { role: string }) => role === 'tool');
      if (told) return { text: [String(told.content)] };
      return { toolCalls: [{ id: 'c', name: 'quay__ask', arguments: ['{"text":"deep"}'] }] };
    };
    host.instead = askingOnStreams(form, 1, { annotations: {}, heard });
    nodes = await startNodes(2, { ...environmentOf(model), RIVULET_PRIVATE_CONNECTORS: 'operator' });
    const [one, other] = nodes.servers as [ChildServer, ChildServer];
    clients = [clientOf(one), clientOf(other)];
    const { id } = await clients[0].connectors.create({ body: { name: 'Quay', type: 'Mcp', baseUrl: host.url } });
    await clients[0].connectorMcp.discover({ params: { id } });
  }, 300_000);
  afterAll(async () => {
    await nodes?.close();
    await Promise.all([host.close(), model.close()]);
  });

  /** Runs that wait for an answer, `many` on each node. */
  async function asked(): Promise<{ id: number; node: number; question: number }[]> {
    heard.length = 0;
    const runs: { id: number; node: number }[] = [];
    for (const [node, client] of clients.entries())
      for (let n = 0; n < many; n++) {
        const { id } = await client.agentRuns.create({ body: { goal: 'Measure.', autoStart: true } });
        runs.push({ id, node });
      }
    return Promise.all(
      runs.map(async (run) => {
        const open = () => clients[0].agentEscalations.list({ query: { runId: run.id, status: 'AwaitingHuman' } });
        await expect.poll(async () => (await open()).items.length, { timeout: 30_000 }).toBe(1);
        return { ...run, question: (await open()).items[0]?.id ?? 0 };
      }),
    );
  }
  const resultOf = async (client: Client, id: number) => {
    const run = () => client.agentRuns.get({ params: { id } });
    await expect.poll(async () => (await run()).status, { timeout: 60_000 }).toBe('Completed');
    return (await run()).progressSummary;
  };
  const answer = (client: Client, id: number, feet: number) =>
    client.agentEscalations.resolve({ params: { id }, body: { decision: String(feet) } });

  it('are answered on either', async () => {
    const runs = await asked();
    for (const { node, question } of runs) await answer(clients[1 - node] as Client, question, question);
    for (const { id, question } of runs)
      expect(await resultOf(clients[0], id)).toBe(JSON.stringify({ action: 'accept', content: { feet: question } }));
    expect(heard.filter((one) => one === 'tools/call')).toHaveLength(2 * many);
  }, 120_000);

  it('are withdrawn when their node is killed, while those of the other stay', async () => {
    const runs = await asked();
    await (nodes.servers[0] as ChildServer).kill();
    const [, staying] = clients;
    for (const { id } of runs.filter(({ node }) => node === 0)) {
      expect(await resultOf(staying, id)).toMatch(
        /^The server asked a person "How deep\?", and the connection .* was lost\./,
      );
      const { items } = await staying.agentEscalations.list({ query: { runId: id } });
      expect(items.map(({ status }) => status)).toEqual(['Withdrawn']);
    }
    for (const { id, question } of runs.filter(({ node }) => node === 1)) {
      await answer(staying, question, 7);
      expect(await resultOf(staying, id)).toBe(JSON.stringify({ action: 'accept', content: { feet: 7 } }));
    }
    // A tool that may do harm is called once, whatever became of its answer.
    expect(heard.filter((one) => one === 'tools/call')).toHaveLength(2 * many);
  }, 180_000);
});
