// How calls of the official OpenAI client fail, and end early.
import OpenAI, { APIUserAbortError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { asked, failing, model, type OpenAiWorld, patience, startOpenAiWorld } from '../support/openai-client.ts';
import { transports } from '../support/test-server.ts';

describe.each(transports)('calls over %s fail as OpenAI has them fail', (transport) => {
  let world: OpenAiWorld;
  beforeAll(async () => {
    world = await startOpenAiWorld(transport);
  });
  afterAll(() => world.close());
  beforeEach(() => world.begin());

  it('without a good key', async () => {
    const stranger = new OpenAI({ baseURL: `${world.server.url}/v1`, apiKey: 'rvt_wrong', maxRetries: 0 });
    const error = await failing(stranger.chat.completions.create({ model, messages: asked }));
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'invalid_request_error' });
  });

  it('for models that are not there, here or at the provider', async () => {
    for (const name of ['gpt-9', 'role:nobody', 'identity:nobody', 'route:nowhere', 'nowhere:x']) {
      const error = await failing(world.openai.chat.completions.create({ model: name, messages: asked }));
      expect(error).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
    }
    world.provider.reply({ status: 404 });
    expect(await failing(world.openai.responses.create({ model, input: 'x', stream: true }))).toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });

  it('for wrong requests, with the field', async () => {
    const wrong: [object, string][] = [
      [{ n: 2 }, 'n'],
      [{ temperature: 3 }, 'temperature'],
      [{ logprobs: true }, 'logprobs'],
      [{ tools: [{ type: 'web_search' }] }, 'tools.0'],
      [{ tool_choice: 'required' }, 'tool_choice'],
      [{ messages: [] }, 'messages'],
      [{ messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] }, 'messages.0.tool_call_id'],
      [{ messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }, 'messages.0.content.0'],
      [{ response_format: { type: 'xml' } }, 'response_format'],
    ];
    for (const [more, param] of wrong) {
      const error = await failing(world.openai.chat.completions.create({ model, messages: asked, ...more } as never));
      expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', param });
    }
    expect(world.provider.requests).toEqual([]);
    world.provider.reply({ status: 400 });
    const error = await failing(world.openai.chat.completions.create({ model, messages: asked, stream: true }));
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('fake error 400') });
  });

  it('when the provider is busy, broken, or finds the context too large', async () => {
    const limits = { maxAttempts: 1, retryBackoffMs: 1 };
    const { data } = (await world.server.call('GET', '/api/ai-router/settings')).body;
    const { updatedAtUtc: _, ...settings } = data;
    await world.server.call('PUT', '/api/ai-router/settings', { ...settings, ...limits });
    world.provider.reply({ status: 429, headers: { 'retry-after': '7' } });
    const busy = await failing(world.openai.chat.completions.create({ model, messages: asked }));
    expect(busy).toBeInstanceOf(OpenAI.RateLimitError);
    expect(busy.code).toBe('rate_limit_exceeded');
    expect(busy.headers?.get('retry-after')).toBe('7');
    world.provider.reply({ status: 500 });
    expect(await failing(world.openai.chat.completions.create({ model, messages: asked }))).toMatchObject({
      status: 502,
      type: 'server_error',
    });
    world.provider.reply({ status: 400, body: '{"error":{"message":"maximum context length is 5 tokens"}}' });
    expect(await failing(world.openai.chat.completions.create({ model, messages: asked }))).toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
    });
  });

  it('when a budget is spent', async () => {
    const made = await world.server.call('POST', '/api/ai-router/budgets', {
      name: 'Nothing left',
      scope: 'Tenant',
      period: 'Month',
      limitTokens: 1,
      action: 'Block',
    });
    expect(made.status).toBe(200);
    // The first call spends it, as soon as it is in the ledger.
    const error = await vi.waitFor(
      () => failing(world.openai.chat.completions.create({ model, messages: asked })),
      patience,
    );
    await world.server.call('DELETE', `/api/ai-router/budgets/${made.body.data.id}`);
    expect(error).toMatchObject({ status: 429, code: 'insufficient_quota' });
    expect(error.headers?.get('x-should-retry')).toBe('false');
  });

  it('in the middle of a stream', async () => {
    world.provider.reply({ text: ['Half', ' an', ' answer'], cutAfter: 3 });
    const stream = await world.openai.chat.completions.create({ model, messages: asked, stream: true });
    let text = '';
    const reading = async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    };
    const error = await failing(reading());
    expect(error).toMatchObject({ code: 'provider_error', type: 'server_error' });
    expect(text).toBe('Half an');
    world.provider.reply({ text: ['Half', ' an', ' answer'], cutAfter: 3 });
    const events: string[] = [];
    for await (const event of await world.openai.responses.create({ model, input: 'x', stream: true })) {
      events.push(event.type);
      if (event.type === 'response.failed') expect(event.response).toMatchObject({ status: 'failed', error: {} });
    }
    expect(events.at(-1)).toBe('response.failed');
  });

  it('says in the same words what it does not serve, and where to look', async () => {
    const { openai } = world;
    const calls: [number, () => Promise<unknown>][] = [
      [404, async () => openai.batches.list()],
      [404, async () => openai.files.list()],
      [405, async () => openai.models.delete('x')],
    ];
    for (const [status, call] of calls) {
      const error = await failing(call());
      expect(error).toMatchObject({ status, type: 'invalid_request_error' });
      expect(error.message).toMatch(/listed at \/docs|Use GET/);
    }
  });

  it('cancels the call at the provider when its client leaves', async () => {
    world.provider.reply({ text: ['One', ' two', ' three'], stallAfter: 3 });
    const stream = await world.openai.chat.completions.create({ model, messages: asked, stream: true });
    for await (const _ of stream) break;
    await world.provider.left(1);
    world.provider.reply({ text: ['One'], stallAfter: 0 });
    const abort = new AbortController();
    const waiting = world.openai.chat.completions.create({ model, messages: asked }, { signal: abort.signal });
    const ended = expect(waiting).rejects.toBeInstanceOf(APIUserAbortError);
    await world.provider.arrived(2);
    abort.abort();
    await ended;
    await world.provider.left(2);
  });
});
