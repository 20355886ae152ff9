// Traces and metrics as a collector of OpenTelemetry gets them, from the client's span down to the provider's request.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectAgent, weatherTool } from '../support/agent.ts';
import type { FakeServer } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Record<string, unknown>;
}
interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

let collector: Server;
const received: Exported[] = [];
let world: ServerWithModel;
let model: FakeServer;
beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  world = await startServerWithModel({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  model = world.model;
});
afterAll(() => new Promise((resolve) => collector.close(resolve)));

/** Whether contexts of the process are tracked, which slows each of its promises. */
function tracksContexts(): boolean {
  const key = createContextKey('seen');
  return context.with(ROOT_CONTEXT.setValue(key, true), () => context.active().getValue(key) === true);
}

const plainOf = ({ value }: Attribute) => {
  const [plain] = Object.values(value);
  return 'intValue' in value ? Number(plain) : plain;
};

interface Exported {
  resourceSpans?: { scopeSpans: { spans: (Omit<Span, 'attributes'> & { attributes: Attribute[] })[] }[] }[];
}

const spansOf = ({ resourceSpans = [] }: Exported): Span[] =>
  resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map((span) => ({
      ...span,
      attributes: Object.fromEntries(span.attributes.map((one) => [one.key, plainOf(one)])),
    }));

/** Asks in a chat what the agent's tool is needed for. Titles are asked for besides, at any time. */
async function chatAboutTheWeather(identityId: number) {
  const { call, client } = world.server;
  const profile = { role: 'chat', name: 'Chats', safeTools: ['weather_*'], discoveryEnabled: true };
  await client.agentToolProfiles.create({ body: profile });
  model.otherwise = ({ body }) => {
    const { role, content } = body.messages.at(-1);
    if (role === 'user' && content === 'Sunny?')
      return { toolCalls: [{ id: 'c3', name: weatherTool.name, arguments: ['{"place":"Oslo"}'] }] };
    return { text: [role === 'tool' ? 'Yes.' : 'A title'] };
  };
  const session = { title: 'x', identityId, enabledTools: [weatherTool.name] };
  const { id } = await client.chat.create({ body: session });
  const answer = call('POST', `/api/chat/sessions/${id}/chat`, { message: 'Sunny?' });
  return () => answer;
}

it('follows a run from the request that made it to the provider, its tools and its children', async () => {
  const { server } = world;
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const { id: identityId } = await server.client.identities.create({ body: { name: 'Iris' } });
  const { rawKey } = await server.client.identityKeys.create({ params: { identityId }, body: { name: 'socket' } });
  const agent = await connectAgent(server.url, rawKey);
  await agent.register();
  const usage = { prompt: 10, completion: 5, cacheRead: 4, reasoning: 2 };
  model.reply(
    { toolCalls: [{ id: 'c1', name: 'run_spawn', arguments: ['{"goal":"Look around.","wait":true}'] }], usage },
    { text: ['All quiet.'], usage },
    { toolCalls: [{ id: 'c2', name: weatherTool.name, arguments: ['{"place":"Oslo"}'] }], usage },
    { text: ['Done.'], usage },
  );
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const goal = { goal: 'Watch.', identityId, autoStart: true };
  const made = await server.call('POST', '/api/agent/runs', goal, { traceparent });
  const called = await agent.called();
  agent.answer(called.id, 'rain');
  const status = async () => (await server.client.agentRuns.get({ params: { id: made.body.data.id } })).status;
  await expect.poll(status, { timeout: 60_000 }).toBe('Completed');
  await server.call('POST', '/v1/embeddings', { model: 'openai:fake-embedding', input: 'x' });
  const long = `openai:${'x'.repeat(250)}`;
  await server.call('POST', '/v1/chat/completions', { model: long, messages: [{ role: 'user', content: 'x' }] });
  const answered = await chatAboutTheWeather(identityId);
  const inChat = await agent.called(2);
  agent.answer(inChat.id, 'sun');
  expect((await answered()).status).toBe(200);
  agent.cut();
  const sent = model.requests[0]?.headers.traceparent;
  expect(tracksContexts()).toBe(true);
  await world.close();
  expect(tracksContexts()).toBe(false);

  const spans = received.flatMap(spansOf);
  const ours = spans.filter((span) => span.traceId === traceId);
  const named = (name: string) => ours.filter((span) => span.name === name);
  const [request] = named('POST /api/agent/runs');
  expect(request?.parentSpanId).toBe('b7ad6b7169203331');
  const agents = ours.filter(({ name }) => name.startsWith('invoke_agent'));
  const root = agents.find(({ parentSpanId }) => parentSpanId === request?.spanId);
  expect(root?.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'rivulet.run.id': made.body.data.id,
  });
  const [spawn] = named('execute_tool run_spawn');
  expect(spawn?.attributes).toMatchObject({ 'gen_ai.tool.name': 'run_spawn' });
  expect(agents.some(({ spanId }) => spanId === spawn?.parentSpanId)).toBe(true);
  // The child's work hangs below the call that spawned it.
  expect(agents.some(({ parentSpanId }) => parentSpanId === spawn?.spanId)).toBe(true);
  const chats = ours.filter(({ name }) => name.startsWith('chat '));
  expect(chats).toHaveLength(4);
  for (const chat of chats) {
    expect(agents.some(({ spanId }) => spanId === chat.parentSpanId)).toBe(true);
    expect(chat.attributes).toMatchObject({
      'gen_ai.response.model': 'fake-model',
      'gen_ai.request.stream': true,
      'server.address': '127.0.0.1',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.cache_read.input_tokens': 4,
      'gen_ai.usage.reasoning.output_tokens': 2,
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
    });
  }
  expect(sent).toBe(`00-${traceId}-${chats.find(({ parentSpanId }) => parentSpanId === root?.spanId)?.spanId}-01`);
  // What an agent does for the call can hang below it.
  const [weather] = named(`execute_tool ${weatherTool.name}`);
  expect(called.data.traceparent).toBe(`00-${traceId}-${weather?.spanId}-01`);
  const [, parent] = inChat.data.traceparent?.split('-').slice(1) ?? [];
  expect(spans.find(({ spanId }) => spanId === parent)?.name).toBe(`execute_tool ${weatherTool.name}`);
  expect(spans.some(({ name }) => name.startsWith('embeddings '))).toBe(true);
  expect(Math.max(...spans.map(({ name }) => name.length))).toBe(120);

  const metrics = JSON.stringify(received.filter((body) => 'resourceMetrics' in body));
  expect(metrics).toContain('rivulet_model_calls_total');
  expect(metrics).toMatch(/"rivulet_model_call_seconds".*"explicitBounds"/);
});
