// Two whole servers on one MongoDB-compatible store and one Redis: each acts on the runs of the other.
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RedisServer, redisMissing, startRedis } from '../../src/stream/testing/redis-server.ts';
import { answering, greeting, startMcpHost } from '../support/mcp-host.ts';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';
import { configured, mongoJavaServer, type RunningServer } from '../support/servers/mongo.ts';
import { sceneOf, toReply } from '../support/stage.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const kind = (await configured.missing()) ? mongoJavaServer : configured;
const missing = redisMissing() ?? (await kind.missing());
if (missing) console.warn(`skipped: ${missing}`);

describe.skipIf(missing !== null)('two nodes', () => {
  let mongo: RunningServer;
  let redis: RedisServer;
  let model: FakeServer;
  const nodes: TestServer[] = [];

  beforeAll(async () => {
    [mongo, redis, model] = await Promise.all([kind.start(), startRedis(), startFakeServer()]);
    const uri = new URL(mongo.uri);
    uri.pathname = `/two_nodes_${Date.now()}`;
    const shared = {
      MONGODB_URI: uri.href,
      REDIS_URL: `redis://127.0.0.1:${redis.admin.options.port}`,
      RIVULET_SECRET: 'a secret that both nodes know, long enough to be one',
      RIVULET_PRIVATE_CONNECTORS: 'operator',
      ...environmentOf(model),
    };
    nodes.push(await startTestServer(shared));
    nodes.push(await startTestServer(shared));
  }, 300_000);
  afterAll(async () => {
    model?.release();
    await Promise.all(nodes.map((node) => node.close()));
    await Promise.all([redis?.stop(), mongo?.stop(), model?.close()]);
  });

  const [first, second] = [() => nodes[0]!.client.agentRuns, () => nodes[1]!.client.agentRuns];
  const patience = { timeout: 30_000, interval: 50 };

  it('cancel the runs of each other', async () => {
    model.otherwise = () => ({ text: ['never ', 'said'], stallAfter: 1 });
    const { id } = await first().create({ body: { goal: 'Stall', autoStart: true } });
    await model.arrived(1);
    await vi.waitFor(async () => expect((await second().get({ params: { id } })).status).toBe('Running'), patience);
    const answer = await second().cancel({ params: { id }, body: { reason: 'From the other side' } });
    expect(answer.affectedRunIds).toEqual([id]);
    const ended = await second().wait({ params: { id }, query: { timeoutMs: 30_000 } });
    expect(ended).toMatchObject({ status: 'Cancelled', failureReason: 'From the other side' });
  });

  it('bring messages to the runs of each other, for their next turn', async () => {
    model.otherwise = (request) => {
      const { told, turn } = sceneOf(request);
      if (told.some((one) => one.includes('Mind the step'))) return { text: ['I heard'] };
      return toReply({ calls: [['run_note', { content: `waits ${turn}` }]], text: ['a '], frameDelayMs: 20 }, turn);
    };
    const { id } = await first().create({ body: { goal: 'Listen', autoStart: true, maxIterations: 400 } });
    await vi.waitFor(async () => expect((await second().get({ params: { id } })).status).toBe('Running'), patience);
    await nodes[1]!.client.agentMessages.create({ params: { runId: id }, body: { content: 'Mind the step' } });
    const ended = await second().wait({ params: { id }, query: { timeoutMs: 30_000 } });
    expect(ended).toMatchObject({ status: 'Completed', progressSummary: 'I heard' });
    const events = await second().events({ params: { runId: id }, query: { limit: 1000 } });
    expect(events.filter((event) => event.type === 'MessageReceived')).toHaveLength(1);
  });

  it('leave an MCP server whose connector is deleted at the other', async () => {
    const left: unknown[] = [];
    let called = 0;
    const host = await startMcpHost({});
    onTestFinished(() => host.close());
    const plain = answering({
      initialize: greeting,
      'tools/list': () => ({
        tools: [{ name: 'echo', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } }],
      }),
      'tools/call': () => ({ content: [{ type: 'text', text: `call ${++called}` }] }),
    });
    host.instead = (request, response) => {
      if (request.method === 'DELETE') left.push(request.headers['mcp-session-id']);
      else response.setHeader('mcp-session-id', 'one');
      plain(request, response);
    };
    const at = async (node: number, method: string, path: string, body?: object) =>
      (await nodes[node]!.call(method, path, body)).body.data;
    const { id } = await at(0, 'POST', '/api/connectors', { name: 'Quay', type: 'Mcp', baseUrl: host.url });
    expect(await at(0, 'POST', `/api/connectors/${id}/mcp/discover`)).toMatchObject({ status: 'Connected' });
    await expect.poll(() => left).toHaveLength(1);
    // A reply of a chat is made where it is asked for.
    model.reply({ toolCalls: [{ id: 'c1', name: 'quay__echo', arguments: ['{}'] }] }, { text: ['Heard.'] });
    const chat = await at(0, 'POST', '/api/chat/sessions', { enabledTools: ['quay__echo'] });
    await at(0, 'POST', `/api/chat/sessions/${chat.id}/chat`, { message: 'Call it.' });
    expect({ called, left }).toMatchObject({ called: 1, left: { length: 1 } });
    await at(1, 'DELETE', `/api/connectors/${id}`);
    await expect.poll(() => left, patience).toHaveLength(2);
  });
});
