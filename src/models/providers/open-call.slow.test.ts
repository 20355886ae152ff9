import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../../runtime/model.ts';
import { eventsOf, gather, modelRequest } from '../../../test/support/model-calls.ts';
import { type FakeServer, startFakeServer } from '../../../test/support/openai-server.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createModels } from '../create.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { createGateway } from '../gateway/gateway.ts';
import { createSdkCalls } from './open-call.ts';
import type { ProviderKind, Target } from './target.ts';

let server: FakeServer;
beforeEach(async () => {
  server = await startFakeServer();
});
afterEach(() => server.close());

/** A gateway whose one provider is the fake server, spoken to in the kind's own wire. */
function gatewayOf(kind: Exclude<ProviderKind, 'scripted'>, modelName: string, more: Partial<Target> = {}): Gateway {
  const baseUrl = { openai: '/v1', 'openai-compatible': '/v1', anthropic: '/v1', google: '/v1beta' }[kind];
  const provider = { key: kind, name: kind, kind, apiKey: 'k-123', baseUrl: server.origin + baseUrl };
  return createGateway({
    directory: {
      plan: () => ({ targets: [{ modelId: `${kind}:${modelName}`, modelName, provider, price: null, ...more }] }),
      facts: () => null,
      defaultModelId: () => '',
    },
    open: createSdkCalls(),
    clock: new SimulatedClock(),
    logger: silentLogger,
  });
}

const kinds = [
  ['openai', 'gpt-5-mini'],
  ['openai-compatible', 'qwen3'],
  ['anthropic', 'claude-sonnet-5-5'],
  ['google', 'gemini-3.8-flash'],
] as const;

const tool = {
  name: 'look',
  description: 'Looks',
  inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
};

describe.each(kinds)('%s', (kind, model) => {
  it('streams text, reasoning, tool calls and usage', async () => {
    server.reply({
      reasoning: ['thin', 'king'],
      text: ['He', 'y'],
      toolCalls: [{ id: 'call_1', name: 'look', arguments: ['{"at":', '"sky"}'] }],
      usage: { prompt: 100, completion: 30, cacheRead: 40, reasoning: 10 },
    });
    const answer = await gather(gatewayOf(kind, model).stream(modelRequest({ tools: [tool], reasoningEffort: 'low' })));
    expect(answer.error).toBeNull();
    expect([answer.text, answer.reasoning]).toEqual(['Hey', 'thinking']);
    const [call] = eventsOf(answer, 'tool-call');
    expect(call?.call.name).toBe('look');
    expect(JSON.parse(call?.call.argumentsJson ?? '')).toEqual({ at: 'sky' });
    const [finish] = eventsOf(answer, 'finish');
    expect(finish?.reason).toBe('tool-calls');
    expect(finish?.usage).toMatchObject({ promptTokens: 100, completionTokens: 30, cacheReadTokens: 40 });
    if (kind !== 'anthropic') expect(finish?.usage.reasoningTokens).toBe(10);
  });

  it('sends the conversation back, with what the provider wants to see again', async () => {
    server.reply({
      reasoning: ['thinking'],
      toolCalls: [{ id: 'call_1', name: 'look', arguments: ['{"at":"sky"}'] }],
    });
    const gateway = gatewayOf(kind, model);
    const first = await gather(gateway.stream(modelRequest({ tools: [tool], reasoningEffort: 'low' })));
    const call = eventsOf(first, 'tool-call')[0]!.call;
    // The state is stored with the message, so it has to survive as JSON.
    const providerState = JSON.parse(JSON.stringify(eventsOf(first, 'finish')[0]?.providerState ?? null));
    const messages: ModelMessage[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: '', reasoning: first.reasoning, toolCalls: [call], providerState },
      { role: 'tool', toolCallId: call.id, toolName: 'look', content: 'blue' },
    ];
    const second = await gather(gateway.stream(modelRequest({ messages, tools: [tool], reasoningEffort: 'low' })));
    expect(second.error).toBeNull();
    const sent = JSON.stringify(server.requests[1]?.body);
    for (const part of ['Be brief.', 'blue', '"look"']) expect(sent).toContain(part);
    const state = {
      openai: 'sealed-reasoning',
      'openai-compatible': 'thinking',
      anthropic: 'signed',
      google: 'signed',
    };
    expect(sent).toContain(state[kind]);
  });

  it('sends images as bytes and the schema of the answer', async () => {
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image' as const, mediaType: 'image/png', data: Uint8Array.from([1, 2, 3]) },
    ];
    const responseSchema = { type: 'object', properties: { animal: { type: 'string' } }, required: ['animal'] };
    const answer = await gather(
      gatewayOf(kind, model).stream(modelRequest({ messages: [{ role: 'user', content }], responseSchema })),
    );
    expect(answer.error).toBeNull();
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain('AQID');
    expect(sent).toContain('animal');
  });

  it('has its connection closed when the call is cancelled', async () => {
    server.reply({ text: ['one', 'two', 'three'], stallAfter: 3 });
    for await (const event of gatewayOf(kind, model).stream(modelRequest())) if (event.type === 'text') break;
    await server.left(1);
    expect(server.open).toBe(0);
  });
});

describe('prompt caching and effort', () => {
  const cached = {
    cacheKey: 'run:42',
    messages: [
      { role: 'system', content: 'Rules' },
      { role: 'user', content: 'Hi' },
    ] as ModelMessage[],
  };

  it('OpenAI gets a cache key of the tenant and keeps nothing', async () => {
    await gather(gatewayOf('openai', 'gpt-5-mini').stream(modelRequest({ ...cached, reasoningEffort: 'high' })));
    expect(server.requests[0]?.body).toMatchObject({
      prompt_cache_key: '1:run:42',
      store: false,
      reasoning: { effort: 'high' },
    });
  });

  it('Anthropic gets marks at the system prompt and at the end', async () => {
    await gather(
      gatewayOf('anthropic', 'claude-sonnet-5-5').stream(modelRequest({ ...cached, reasoningEffort: 'high' })),
    );
    const { body } = server.requests[0]!;
    expect(body.system.at(-1).cache_control).toEqual({ type: 'ephemeral' });
    expect(body.messages.at(-1).content.at(-1).cache_control).toEqual({ type: 'ephemeral' });
    expect(body.output_config.effort).toBe('high');
  });

  it('a longer cache is asked for where there is one', async () => {
    const day = { cacheTtlSeconds: 86_400 };
    await gather(gatewayOf('openai', 'gpt-5-mini', day).stream(modelRequest(cached)));
    await gather(gatewayOf('anthropic', 'claude-sonnet-5-5', day).stream(modelRequest(cached)));
    expect(server.requests[0]?.body.prompt_cache_retention).toBe('24h');
    expect(server.requests[1]?.body.system.at(-1).cache_control).toEqual({ type: 'ephemeral', ttl: '1h' });
  });

  it('an older Anthropic model gets a budget for thinking', async () => {
    await gather(gatewayOf('anthropic', 'claude-haiku-4-5').stream(modelRequest({ reasoningEffort: 'low' })));
    expect(server.requests[0]?.body.thinking).toEqual({ type: 'enabled', budget_tokens: 2048 });
  });

  it('Google gets a level, and 2.5 a budget', async () => {
    await gather(gatewayOf('google', 'gemini-3.8-flash').stream(modelRequest({ reasoningEffort: 'low' })));
    await gather(gatewayOf('google', 'gemini-2.5-flash').stream(modelRequest({ reasoningEffort: 'none' })));
    expect(server.requests[0]?.body.generationConfig.thinkingConfig.thinkingLevel).toBe('low');
    expect(server.requests[1]?.body.generationConfig.thinkingConfig.thinkingBudget).toBe(0);
  });
});

it('a refusal by an image URL that Google cannot take never leaves', async () => {
  const content = [{ type: 'image' as const, mediaType: 'image/png', data: new URL('https://example.org/a.png') }];
  const answer = await gather(
    gatewayOf('google', 'gemini-3.8-flash').stream(modelRequest({ messages: [{ role: 'user', content }] })),
  );
  expect(answer.error).toMatchObject({ code: 'BAD_REQUEST' });
  expect(server.requests).toHaveLength(0);
});

it.each([
  [{ anthropic: { apiKey: 'a' } }, 'anthropic:claude-sonnet-5-5'],
  [{ google: { apiKey: 'a' }, anthropic: { apiKey: 'a' } }, 'anthropic:claude-sonnet-5-5'],
  [{ openai: { apiKey: 'a' } }, 'openai:gpt-5-mini'],
  [{ openai: { baseUrl: 'http://127.0.0.1:1/v1', apiKey: null } }, 'openai:default'],
  [{}, 'scripted:hello'],
])('with %j the default model is %s', (providers, expected) => {
  const deps = { clock: new SimulatedClock(), logger: silentLogger };
  expect(createModels({ settings: { providers }, ...deps }).defaultModelId()).toBe(expected);
  expect(createModels({ settings: { providers, model: 'ollama:x' }, ...deps }).defaultModelId()).toBe('ollama:x');
});
