import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventsOf, gather, modelRequest } from '../../../test/support/model-calls.ts';
import { type FakeServer, startFakeServer } from '../../../test/support/openai-server.ts';
import { Fault } from '../../kernel/fault.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createModels } from '../create.ts';
import type { CallRecord } from './call-record.ts';
import { type Gateway, sharedKey } from './gateway.ts';

const key = 'sk-secret-0123456789abcdef';
let server: FakeServer;
let other: FakeServer;
let clock: SimulatedClock;
let records: CallRecord[];
let gateway: Gateway;

beforeEach(async () => {
  [server, other] = await Promise.all([startFakeServer(), startFakeServer()]);
  clock = new SimulatedClock();
  records = [];
  gateway = createModels({
    settings: {
      providers: { openai: { apiKey: key, baseUrl: server.baseUrl }, ollama: { baseUrl: other.baseUrl } },
    },
    clock,
    logger: silentLogger,
    random: () => 0.5,
    onCall: (record) => records.push(record),
  });
});
afterEach(() => Promise.all([server.close(), other.close()]));

const call = (more: Parameters<typeof modelRequest>[0] = {}) => gather(gateway.stream(modelRequest(more)), clock);
const fault = (error: unknown): Fault => {
  expect(error).toBeInstanceOf(Fault);
  return error as Fault;
};

describe('an answer', () => {
  it('carries text, reasoning, usage and cost', async () => {
    const usage = { prompt: 1000, completion: 200, cacheRead: 400, reasoning: 50 };
    server.reply({ reasoning: ['I th', 'ink'], text: ['Hel', 'lo'], usage });
    const answer = await call();
    expect(answer.events.map(({ type }) => type)).toEqual([
      'start',
      'reasoning',
      'reasoning',
      'text',
      'text',
      'finish',
    ]);
    expect([answer.text, answer.reasoning]).toEqual(['Hello', 'I think']);
    const [finish] = eventsOf(answer, 'finish');
    expect(finish).toMatchObject({ reason: 'stop', modelId: 'openai:gpt-5-mini' });
    expect(finish?.usage).toEqual({
      promptTokens: 1000,
      completionTokens: 200,
      cacheReadTokens: 400,
      cacheWriteTokens: 0,
      reasoningTokens: 50,
      // 600 fresh at $0.25, 400 cached at $0.025, 200 out at $2 a million
      costUsd: expect.closeTo(0.00015 + 0.00001 + 0.0004, 10),
      priced: true,
    });
    expect(records).toMatchObject([{ status: 'Succeeded', modelId: 'openai:gpt-5-mini', usage: finish?.usage }]);
  });

  it('streams the arguments of tools and gives whole calls at the end', async () => {
    server.reply({
      text: ['Let me see.'],
      toolCalls: [
        { id: 'a', name: 'file_read', arguments: ['{"path"', ':"x.md"}'] },
        { id: 'b', name: 'file_list', arguments: ['{}'] },
      ],
    });
    const tools = [{ name: 'file_read', description: 'Reads', inputSchema: { type: 'object' } }];
    const answer = await call({ tools });
    expect(
      eventsOf(answer, 'tool-arguments').map(({ toolCallId, toolName, delta }) => [toolCallId, toolName, delta]),
    ).toEqual([
      ['a', 'file_read', '{"path"'],
      ['a', 'file_read', ':"x.md"}'],
      ['b', 'file_list', '{}'],
    ]);
    expect(eventsOf(answer, 'tool-call').map(({ call }) => call)).toEqual([
      { id: 'a', name: 'file_read', argumentsJson: '{"path":"x.md"}' },
      { id: 'b', name: 'file_list', argumentsJson: '{}' },
    ]);
    expect(answer.events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' });
    expect(server.requests[0]?.body.tools[0].function).toMatchObject({
      name: 'file_read',
      parameters: { type: 'object' },
    });
  });

  it('arrives whole when it has 500 chunks', async () => {
    const text = Array.from({ length: 500 }, (_, index) => `w${index} `);
    server.reply({ text, usage: { prompt: 1, completion: 500 } });
    const answer = await call();
    expect(answer.text).toBe(text.join(''));
    expect(eventsOf(answer, 'finish')).toHaveLength(1);
  });

  it('arrives whole when one chunk is huge', async () => {
    const huge = 'x'.repeat(2_000_000);
    server.reply({ text: [huge] });
    expect((await call()).text.length).toBe(huge.length);
  });

  it.each([1, 3, 7])('keeps characters that are split after every %i bytes', async (splitBytes) => {
    server.reply({ text: ['Zażółć ', '日本語 ', '👩‍🚀🚀'], splitBytes });
    expect((await call()).text).toBe('Zażółć 日本語 👩‍🚀🚀');
  });

  it('without end is stopped, and asked for nowhere else', async () => {
    // Beyond any limit that a provider would keep to: one chunk, and many.
    for (const text of [['x'.repeat(4_000_001)], Array.from({ length: 41 }, () => 'y'.repeat(100_000))]) {
      server.reply({ text });
      const answer = await call({ fallbackModelIds: ['ollama:small'] });
      expect(fault(answer.error)).toMatchObject({ code: 'PROVIDER_ERROR', isFinal: true });
      expect(fault(answer.error).message).toContain('(openai:gpt-5-mini) went on for more than 4,000,000 characters');
      expect(answer.text.length).toBeLessThanOrEqual(4_000_000);
    }
    expect([server.requests.length, other.requests.length]).toEqual([2, 0]);
    server.reply({ text: ['within'] });
    expect((await call()).text).toBe('within');
  });

  it('counts for itself when the server reports no usage, and says so', async () => {
    server.reply({ text: ['12345678'], usage: null });
    const [finish] = eventsOf(await call(), 'finish');
    expect(finish?.usage).toMatchObject({ completionTokens: 2, estimated: true });
    expect(finish?.usage.promptTokens).toBeGreaterThan(0);
  });

  it('of a model without a price costs nothing and is marked', async () => {
    const [finish] = eventsOf(await call({ modelId: 'openai:my-own' }), 'finish');
    expect(finish?.usage).toMatchObject({ costUsd: 0, priced: false });
  });
});

describe('before the first token', () => {
  it('is not made again for a caller that repeats it itself; another target still takes over', async () => {
    server.reply({ status: 503 }, { text: ['never'] });
    other.reply({ text: ['from the other'] });
    expect(fault((await call({ repeats: false })).error).code).toBe('PROVIDER_ERROR');
    expect(server.requests).toHaveLength(1);
    const answer = await call({ repeats: false, fallbackModelIds: ['ollama:llama3.2:3b'] });
    expect(answer.text).toBe('never');
    server.reply({ status: 503 });
    expect((await call({ repeats: false, fallbackModelIds: ['ollama:llama3.2:3b'] })).text).toBe('from the other');
  });

  it('waits as long as the provider asks after 429, then tries again', async () => {
    server.reply({ status: 429, headers: { 'retry-after': '7' } }, { text: ['ok'] });
    const answer = await call();
    expect(eventsOf(answer, 'retry')).toMatchObject([{ attempt: 1, delayMs: 7_000, modelId: 'openai:gpt-5-mini' }]);
    expect(answer.text).toBe('ok');
    expect(records[0]?.attempts.map(({ status, httpStatus }) => [status, httpStatus])).toEqual([
      ['RateLimited', 429],
      ['Succeeded', null],
    ]);
  });

  it('backs off twice as long each time, then gives up with the reason', async () => {
    server.otherwise = () => ({ status: 500 });
    const answer = await call();
    expect(eventsOf(answer, 'retry').map(({ delayMs }) => delayMs)).toEqual([500, 1_000]);
    expect(fault(answer.error)).toMatchObject({ code: 'PROVIDER_ERROR' });
    expect(server.requests).toHaveLength(3);
  });

  it('does not wait for longer than its patience', async () => {
    server.reply({ status: 429, headers: { 'retry-after': '3600' } });
    const answer = await call();
    expect(fault(answer.error)).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 3600 });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['429', { status: 429, headers: { 'retry-after': '60' } }],
    ['503', { status: 503 }],
    ['a wrong key', { status: 401 }],
    ['an account without credit', { status: 402 }],
    ['an unknown model', { status: 404 }],
    ['a broken connection', { cutAfter: 0 }],
    ['an error event', { rawFrames: ['data: {"error":{"message":"overloaded","code":503}}\n\n'] }],
    ['bad JSON', { rawFrames: ['data: {"id": broken\n\n'] }],
    ['an empty stream', { rawFrames: [] }],
  ])('a fallback takes over after %s', async (_, failure) => {
    server.otherwise = () => failure;
    other.reply({ text: ['from the other'] });
    const answer = await call({ fallbackModelIds: ['ollama:llama3.2:3b'] });
    expect(answer.error).toBeNull();
    expect(answer.text).toBe('from the other');
    expect(answer.events.at(-1)).toMatchObject({ type: 'finish', modelId: 'ollama:llama3.2:3b' });
    expect(other.requests[0]?.body.model).toBe('llama3.2:3b');
    expect(eventsOf(answer, 'retry').at(-1)).toMatchObject({ modelId: 'ollama:llama3.2:3b' });
  });

  it('a fallback takes over when the first is silent', async () => {
    server.reply({ text: ['never'], stallAfter: 1 });
    other.reply({ text: ['here'] });
    const answer = call({ fallbackModelIds: ['ollama:small'] });
    await server.arrived(1);
    await clock.advance(180_000);
    expect((await answer).text).toBe('here');
    await server.left(1);
  });

  it('a request that is wrong in itself goes nowhere else', async () => {
    server.reply({ status: 400, body: '{"error":{"message":"temperature must be lower"}}' });
    const answer = await call({ fallbackModelIds: ['ollama:small'] });
    expect(fault(answer.error).message).toContain('temperature must be lower');
    expect(other.requests).toHaveLength(0);
  });

  it.each([
    "This model's maximum context length is 128000 tokens.",
    'prompt is too long: 210000 tokens > 200000 maximum',
    'the request exceeds the available context size',
  ])('a context that is too large has its own code: %s', async (message) => {
    server.reply({ status: 400, body: JSON.stringify({ error: { message, code: 'x' } }) });
    expect(fault((await call()).error)).toMatchObject({ code: 'CONTEXT_TOO_LARGE' });
  });

  it('a provider without a key is named with its variable', async () => {
    const { error } = await call({ modelId: 'anthropic:claude-sonnet-5-5' });
    expect(fault(error)).toMatchObject({ code: 'NOT_CONFIGURED', hint: expect.stringContaining('ANTHROPIC_API_KEY') });
  });
});

describe('after the first token', () => {
  it.each([
    ['a cut', { cutAfter: 3 }, 'PROVIDER_ERROR'],
    ['an end without a finish', { endAfter: 3 }, 'PROVIDER_ERROR'],
    ['half a tool call', { toolCalls: [{ id: 'a', name: 'x', arguments: ['{"a":'] }], cutAfter: 5 }, 'PROVIDER_ERROR'],
    [
      'half a tool call, ended properly',
      { toolCalls: [{ id: 'a', name: 'x', arguments: ['{"a":'] }], endAfter: 5 },
      'PROVIDER_ERROR',
    ],
  ])('%s is an explicit error, not a second answer', async (_, failure, code) => {
    server.reply({ text: ['one', ' two'], ...failure });
    const answer = await call({ fallbackModelIds: ['ollama:small'] });
    expect(answer.text).toBe('one two');
    expect(fault(answer.error)).toMatchObject({ code });
    expect(eventsOf(answer, 'tool-call')).toHaveLength(0);
    expect(eventsOf(answer, 'finish')).toHaveLength(0);
    expect([server.requests.length, other.requests.length]).toEqual([1, 0]);
    expect(records[0]).toMatchObject({
      status: 'Failed',
      usage: { completionTokens: expect.any(Number), estimated: true },
    });
    expect(records[0]?.usage.completionTokens).toBeGreaterThan(0);
  });

  it('bad JSON is an explicit error', async () => {
    const good = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"one"}}]}\n\n';
    server.reply({ rawFrames: [good, 'data: {"id": broken\n\n', good] });
    const answer = await call();
    expect(answer.text).toBe('one');
    expect(fault(answer.error).message).toContain('not valid');
  });

  it('silence ends the call and closes the connection', async () => {
    server.reply({ text: ['one', 'two'], stallAfter: 2 });
    const stream = gateway.stream(modelRequest())[Symbol.asyncIterator]();
    expect((await stream.next()).value).toMatchObject({ type: 'start' });
    await stream.next();
    const rest = stream.next();
    rest.catch(() => {});
    // The wait begins once the pending read has reached the provider's stream.
    await clock.advance(0);
    await clock.advance(120_000);
    await expect(rest).rejects.toMatchObject({ code: 'PROVIDER_TIMEOUT' });
    await server.left(1);
    expect(records[0]?.status).toBe('TimedOut');
  });
});

describe('cancelling', () => {
  it('closes the connection and throws the reason', async () => {
    server.reply({ text: ['one', 'two'], stallAfter: 2 });
    const controller = new AbortController();
    const stream = gateway.stream(modelRequest({ signal: controller.signal }))[Symbol.asyncIterator]();
    await stream.next();
    await stream.next();
    const rest = stream.next();
    rest.catch(() => {});
    controller.abort(new Fault('CLIENT_CLOSED', 'stopped by a person'));
    await expect(rest).rejects.toThrow('stopped by a person');
    await server.left(1);
    expect(server.open).toBe(0);
    expect(records).toMatchObject([{ status: 'Cancelled', attempts: [{ status: 'Cancelled' }] }]);
  });

  it('by leaving the loop closes the connection', async () => {
    server.reply({ text: ['one', 'two'], stallAfter: 2 });
    for await (const event of gateway.stream(modelRequest())) if (event.type === 'text') break;
    await server.left(1);
    expect(records[0]?.status).toBe('Cancelled');
    expect(gateway.health.inFlight('openai')).toBe(0);
  });

  it('is not what leaving at the finish means: the answer is whole', async () => {
    const failing = () => server.reply(...Array.from({ length: 3 }, () => ({ status: 500 })));
    failing();
    await call();
    for await (const event of gateway.stream(modelRequest())) if (event.type === 'finish') break;
    expect(records.at(-1)).toMatchObject({ status: 'Succeeded', attempts: [{ status: 'Succeeded' }] });
    // It ends the row of failures, too.
    failing();
    await call();
    expect(gateway.health.snapshot(sharedKey('openai', 1))).toMatchObject({
      calls: 7,
      failures: 6,
      circuit: 'Closed',
      inFlight: 0,
    });
  });

  it('during a wait for a retry ends at once', async () => {
    server.otherwise = () => ({ status: 500 });
    const controller = new AbortController();
    const stream = gateway.stream(modelRequest({ signal: controller.signal }))[Symbol.asyncIterator]();
    expect((await stream.next()).value).toMatchObject({ type: 'retry' });
    const rest = stream.next();
    rest.catch(() => {});
    controller.abort(new Error('enough'));
    await expect(rest).rejects.toThrow('enough');
  });

  it('before the start sends nothing', async () => {
    const { error } = await call({ signal: AbortSignal.abort(new Error('too late')) });
    expect(error).toMatchObject({ message: 'too late' });
    expect(server.requests).toHaveLength(0);
  });
});

describe('the circuit of a provider', () => {
  it('opens after five failures in a row, admits a probe later and closes on success', async () => {
    server.otherwise = () => ({ status: 500 });
    await call();
    await call();
    expect(server.requests).toHaveLength(5);
    expect(gateway.health.snapshot(sharedKey('openai', 1))).toMatchObject({ circuit: 'Open', state: 'Unhealthy' });
    const refused = await call();
    expect(fault(refused.error)).toMatchObject({
      code: 'NO_ROUTE_AVAILABLE',
      hint: expect.not.stringMatching(/\/api/),
      retryAfterSeconds: expect.any(Number),
    });
    expect(server.requests).toHaveLength(5);

    await clock.advance(30_000);
    server.otherwise = () => ({ text: ['back'] });
    expect((await call()).text).toBe('back');
    expect(gateway.health.snapshot(sharedKey('openai', 1)).circuit).toBe('Closed');
  });

  it('is passed by for a fallback without a call', async () => {
    server.otherwise = () => ({ status: 500 });
    await call();
    await call();
    other.reply({ text: ['other'] });
    expect((await call({ fallbackModelIds: ['ollama:small'] })).text).toBe('other');
    expect(server.requests).toHaveLength(5);
  });
});

it('never tells a key', async () => {
  const lines: unknown[] = [];
  const logger = { ...silentLogger, warn: (...line: unknown[]) => void lines.push(line) } as typeof silentLogger;
  const telling = createModels({
    settings: { providers: { openai: { apiKey: key, baseUrl: server.baseUrl } } },
    clock,
    logger,
  });
  server.otherwise = () => ({
    status: 401,
    body: `{"error":{"message":"Incorrect API key provided: ${key}. See sk-abc***xyz1"}}`,
  });
  const { error } = await gather(telling.stream(modelRequest()), clock);
  const { message, hint, stack, cause } = fault(error);
  const all = JSON.stringify([message, hint, stack, String(cause), (cause as Error).stack, lines]);
  expect(all).not.toContain(key);
  expect(all).not.toContain('sk-abc');
  expect(hint).toContain('OPENAI_API_KEY');
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
});

it('uses the first model of a server when none is named', async () => {
  server.models = ['nomic-embed-text', 'qwen3:8b'];
  expect(gateway.defaultModelId()).toBe('openai:default');
  const answer = await call({ modelId: gateway.defaultModelId() });
  expect(answer.events.at(-1)).toMatchObject({ modelId: 'openai:qwen3:8b' });
  expect(server.requests[0]?.body.model).toBe('qwen3:8b');
});
