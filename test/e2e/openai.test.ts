// The official OpenAI client against the server, on both transports: what any program that speaks OpenAI would do.
import OpenAI, { APIError, APIUserAbortError } from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type FakeServer, startFakeServer } from '../support/openai-server.ts';
import { startTestServer, type TestServer, transports } from '../support/test-server.ts';

const patience = { timeout: 60_000, interval: 20 };
const asked = [{ role: 'user' as const, content: 'Hello?' }];
const weatherTool = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'Tells the weather.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const weatherCalls = [
  { id: 'call_1', name: 'weather', arguments: ['{"ci', 'ty":"Bergen"}'] },
  { id: 'call_2', name: 'weather', arguments: ['{"city":"Oslo"}'] },
];

describe.each(transports)('the openai client over %s', (transport) => {
  let provider: FakeServer;
  let server: TestServer;
  let openai: OpenAI;
  const model = 'openai:fake-model';

  beforeAll(async () => {
    provider = await startFakeServer();
    provider.models = ['fake-model', 'fake-embed'];
    server = await startTestServer({
      RIVULET_TRANSPORT: transport,
      OPENAI_BASE_URL: provider.baseUrl,
      OPENAI_API_KEY: 'sk-of-the-provider',
      RIVULET_MODEL: model,
    });
    openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.key, maxRetries: 0 });
  });
  afterAll(async () => {
    provider.release();
    await server.close();
    await provider.close();
  });
  beforeEach(() => {
    provider.requests.length = 0;
    provider.aborted = 0;
  });
  const sent = () => provider.requests.at(-1)?.body;
  /** The newest entry of the ledger, which is written a moment after the answer. */
  const ledgered = (fields: object) =>
    vi.waitFor(async () => {
      const { body } = await server.call('GET', '/api/ai-router/usage/calls?pageSize=1');
      expect(body.data.items[0]).toMatchObject(fields);
    }, patience);

  it('lists models, routes, roles and identities', async () => {
    await server.call('POST', '/api/identities', { name: 'Ada', type: 'AI' });
    const ids = [];
    for await (const { id, object } of openai.models.list()) {
      expect(object).toBe('model');
      ids.push(id);
    }
    expect(ids).toEqual(expect.arrayContaining([model, 'scripted:demo', 'role:coder', 'identity:Ada']));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('completes a chat', async () => {
    provider.reply({ text: ['Hello', ' you'], usage: { prompt: 12, completion: 7, cacheRead: 4, reasoning: 2 } });
    const answer = await openai.chat.completions.create({
      model,
      messages: [{ role: 'developer', content: 'Be short.' }, ...asked],
      temperature: 0.2,
      top_p: 0.9,
      max_completion_tokens: 50,
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      seed: 42,
      user: 'someone',
      metadata: { a: 'b' },
      store: false,
    });
    expect(answer).toMatchObject({
      object: 'chat.completion',
      model,
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello you' }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 7,
        total_tokens: 19,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    });
    expect(answer.id).toMatch(/^chatcmpl-/);
    expect(sent()).toMatchObject({
      model: 'fake-model',
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Hello?' },
      ],
      temperature: 0.2,
      top_p: 0.9,
      max_tokens: 50,
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      seed: 42,
    });
    await ledgered({
      purpose: 'Compat',
      status: 'Succeeded',
      promptTokens: 12,
      completionTokens: 7,
    });
  });

  it('streams text and reasoning, with usage when asked', async () => {
    const pieces = ['So', ' it', ' is', ' 🌊', ' done.'];
    provider.reply({ reasoning: ['Hm', 'm.'], text: pieces, usage: { prompt: 3, completion: 9 } });
    const stream = await openai.chat.completions.create({
      model,
      messages: asked,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    const deltas = chunks.flatMap((chunk) => (chunk.choices[0] ? [chunk.choices[0].delta] : []));
    expect(deltas[0]).toEqual({ role: 'assistant', content: '' });
    expect(deltas.map(({ content }) => content ?? '').join('')).toBe(pieces.join(''));
    expect(deltas.map((delta) => (delta as { reasoning_content?: string }).reasoning_content ?? '').join('')).toBe(
      'Hmm.',
    );
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 9 } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);

    const bare = await openai.chat.completions.create({ model, messages: asked, stream: true });
    for await (const chunk of bare) expect(chunk.usage ?? null).toBeNull();
  });

  it('accumulates a stream with the helper of the client', async () => {
    provider.reply({ text: ['a', 'b', 'c'], toolCalls: weatherCalls });
    const runner = openai.chat.completions.stream({ model, messages: asked, tools: [weatherTool] });
    const final = await runner.finalChatCompletion();
    expect(final.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'abc',
        tool_calls: weatherCalls.map(({ id, name, arguments: args }) => ({
          id,
          function: { name, arguments: args.join('') },
        })),
      },
    });
  });

  it('runs tools', async () => {
    provider.reply({ toolCalls: weatherCalls }, { text: ['Rain in both.'] });
    const seen: string[] = [];
    const runner = openai.chat.completions.runTools({
      model,
      messages: asked,
      tool_choice: 'auto',
      parallel_tool_calls: false,
      tools: [
        {
          type: 'function',
          function: {
            ...weatherTool.function,
            parse: JSON.parse,
            function: ({ city }: { city: string }) => {
              seen.push(city);
              return `rain in ${city}`;
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('Rain in both.');
    expect(seen).toEqual(['Bergen', 'Oslo']);
    expect(provider.requests[0]?.body).toMatchObject({ tool_choice: 'auto', parallel_tool_calls: false });
    expect(sent().messages.slice(-3)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'call_1' }, { id: 'call_2' }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain in Bergen' },
      { role: 'tool', tool_call_id: 'call_2', content: 'rain in Oslo' },
    ]);
  });

  it('gives providers back what they want with the results of their tools', async () => {
    const google = { name: 'G', kind: 'Google', baseUrl: `${provider.origin}/v1beta`, apiKey: 'AIza-test-key' };
    const made = (await server.call('POST', '/api/ai-router/providers', google)).body.data;
    const named = { providerId: made.id, modelId: 'google:gemini', providerModelName: 'gemini-3-pro' };
    expect((await server.call('POST', '/api/ai-router/models', named)).status).toBe(200);
    provider.reply({ toolCalls: weatherCalls.slice(0, 1) }, { text: ['Rain.'] });
    const ask = (messages: OpenAI.ChatCompletionMessageParam[]) =>
      openai.chat.completions.create({ model: 'google:gemini', messages, tools: [weatherTool] });
    const message = (await ask(asked)).choices[0]?.message as OpenAI.ChatCompletionMessage;
    await ask([
      ...asked,
      message,
      { role: 'tool', tool_call_id: message.tool_calls?.[0]?.id as string, content: 'rain' },
    ]);
    expect(sent().contents[1].parts).toMatchObject([{ functionCall: { name: 'weather' }, thoughtSignature: 'signed' }]);
    await server.call('DELETE', `/api/ai-router/providers/${made.id}`, { force: true });
  });

  it('passes on a tool that must be called, a schema, effort and images', async () => {
    provider.reply({ text: ['{"city":', '"Bergen"}'] });
    const answer = await openai.chat.completions.create({
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Where is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
          ],
        },
      ],
      tools: [weatherTool],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      reasoning_effort: 'low',
      response_format: zodResponseFormat(z.object({ city: z.string() }), 'place'),
    });
    expect(answer.choices[0]?.message.content).toBe('{"city":"Bergen"}');
    expect(sent()).toMatchObject({
      tool_choice: { type: 'function', function: { name: 'weather' } },
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { schema: { properties: { city: { type: 'string' } } } } },
    });
    expect(sent().messages[0].content.map((part: { type: string }) => part.type)).toEqual([
      'text',
      'image_url',
      'image_url',
    ]);
    expect(sent().messages[0].content[1].image_url.url).toBe('data:image/png;base64,iVBORw0KGgo=');

    await openai.chat.completions.create({ model, messages: asked, response_format: { type: 'json_object' } });
    expect(sent().response_format).toEqual({ type: 'json_object' });
  });

  it('ends before a stop text, wherever its pieces fall', async () => {
    for (const stream of [false, true]) {
      provider.reply({ text: ['One EN', 'X EN', 'D two', ' three'] });
      const runner = stream
        ? await openai.chat.completions.stream({ model, messages: asked, stop: ['END', '###'] }).finalChatCompletion()
        : await openai.chat.completions.create({ model, messages: asked, stop: 'END' });
      expect(runner.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'One ENX ' } });
    }
    expect(sent().stop).toEqual(['END', '###']);
  });

  it('speaks as a role or an identity', async () => {
    await openai.chat.completions.create({ model: 'role:reviewer', messages: asked });
    expect(sent().messages[0]).toMatchObject({ role: 'system', content: expect.stringContaining('a reviewer') });
    expect(sent().messages[1]).toEqual({ role: 'user', content: 'Hello?' });
    await server.call('POST', '/api/identities', {
      name: 'Marvin',
      type: 'AI',
      bio: 'A very sad robot.',
    });
    await openai.responses.create({ model: 'identity:marvin', input: 'Hello?', instructions: 'Sigh.' });
    expect(sent().messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'system', 'user']);
    expect(sent().messages[0].content).toContain('A very sad robot.');
  });

  it('responds whole, and goes on from an earlier response', async () => {
    provider.reply({
      reasoning: ['Thinking.'],
      text: ['Blue', '.'],
      usage: { prompt: 5, completion: 6, reasoning: 3 },
    });
    const first = await openai.responses.create({ model, input: 'Which colour?' });
    expect(first).toMatchObject({ status: 'completed', output_text: 'Blue.', model, error: null });
    expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    expect(first.usage).toMatchObject({
      input_tokens: 5,
      output_tokens: 6,
      total_tokens: 11,
      output_tokens_details: { reasoning_tokens: 3 },
    });
    const second = await openai.responses.create({ model, input: 'Why?', previous_response_id: first.id });
    await openai.responses.create({ model, input: 'And?', previous_response_id: second.id });
    expect(sent().messages.map(({ role, content }: { role: string; content: unknown }) => [role, content])).toEqual([
      ['user', 'Which colour?'],
      ['assistant', 'Blue.'],
      ['user', 'Why?'],
      ['assistant', 'Hello world'],
      ['user', 'And?'],
    ]);
    const unkept = await openai.responses.create({ model, input: 'x', store: false });
    await expect(openai.responses.create({ model, input: 'y', previous_response_id: unkept.id })).rejects.toMatchObject(
      {
        status: 404,
        param: 'previous_response_id',
      },
    );
  });

  it('streams a response with function calls, and takes their output', async () => {
    provider.reply({ reasoning: ['Let', ' me see.'], text: ['Look', 'ing.'], toolCalls: weatherCalls });
    const runner = openai.responses.stream({
      model,
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] }],
      tools: [{ type: 'function', strict: false, ...weatherTool.function }],
    });
    const events: { type: string; sequence_number: number }[] = [];
    runner.on('event', (event) => events.push(event as never));
    const final = await runner.finalResponse();
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    expect(events[0]?.type).toBe('response.created');
    expect(events.at(-1)?.type).toBe('response.completed');
    expect(final.output).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Let me see.' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'Looking.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bergen"}' },
      { type: 'function_call', call_id: 'call_2', name: 'weather', arguments: '{"city":"Oslo"}' },
    ]);
    const outputs = weatherCalls.map(({ id }) => ({
      type: 'function_call_output' as const,
      call_id: id,
      output: 'rain',
    }));
    await openai.responses.create({ model, input: outputs, previous_response_id: final.id });
    expect(sent().messages.slice(-3)).toMatchObject([
      { role: 'assistant', content: 'Looking.', tool_calls: [{ id: 'call_1' }, { id: 'call_2' }] },
      { role: 'tool', content: 'rain' },
      { role: 'tool', content: 'rain' },
    ]);
    // The same conversation without anything kept here.
    await openai.responses.create({
      model,
      store: false,
      input: [{ role: 'user', content: 'Weather?' }, ...final.output, ...outputs] as OpenAI.Responses.ResponseInput,
    });
    expect(sent().messages.slice(-3)).toMatchObject([{ content: 'Looking.', tool_calls: [{}, {}] }, {}, {}]);
  });

  it('embeds, as numbers and as base64', async () => {
    const input = ['red apple', 'red apple', 'blue sea'];
    const [plain, packed] = await Promise.all(
      (['float', 'base64'] as const).map((encoding_format) =>
        openai.embeddings.create({ model: 'openai:fake-embed', input, encoding_format, dimensions: 32 }),
      ),
    );
    expect(plain?.data.map(({ embedding }) => embedding.length)).toEqual([32, 32, 32]);
    expect(plain?.data[0]?.embedding).toEqual(plain?.data[1]?.embedding);
    expect(plain?.usage.prompt_tokens).toBe(6);
    const bytes = Buffer.from(packed?.data[2]?.embedding as unknown as string, 'base64');
    expect([...new Float32Array(bytes.buffer, bytes.byteOffset, 32)]).toEqual(
      plain?.data[2]?.embedding.map((value) => Math.fround(value)),
    );
    // What the client asks for when nobody says anything.
    const decoded = await openai.embeddings.create({ model: 'fake-embed', input: 'red apple' });
    expect(decoded.data[0]?.embedding).toHaveLength(64);
    await ledgered({ purpose: 'Embedding', status: 'Succeeded', promptTokens: 2 });
    const none = openai.embeddings.create({ model: 'auto', input: 'x' });
    await expect(none).rejects.toMatchObject({ status: 501, code: 'not_configured', type: 'server_error' });
  });

  describe('fails as OpenAI does', () => {
    const failing = async (work: Promise<unknown>): Promise<APIError> => {
      const error = await work.then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(APIError);
      return error as APIError;
    };

    it('without a good key', async () => {
      const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'rvt_wrong', maxRetries: 0 });
      const error = await failing(stranger.chat.completions.create({ model, messages: asked }));
      expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'invalid_request_error' });
    });

    it('for models that are not there, here or at the provider', async () => {
      for (const name of ['gpt-9', 'role:nobody', 'identity:nobody', 'route:nowhere', 'nowhere:x']) {
        const error = await failing(openai.chat.completions.create({ model: name, messages: asked }));
        expect(error).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
      }
      provider.reply({ status: 404 });
      expect(await failing(openai.responses.create({ model, input: 'x', stream: true }))).toMatchObject({
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
        [{ nonsense: 1 }, 'nonsense'],
      ];
      for (const [more, param] of wrong) {
        const error = await failing(openai.chat.completions.create({ model, messages: asked, ...more } as never));
        expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', param });
      }
      expect(provider.requests).toEqual([]);
      provider.reply({ status: 400 });
      const error = await failing(openai.chat.completions.create({ model, messages: asked, stream: true }));
      expect(error).toMatchObject({ status: 400, message: expect.stringContaining('fake error 400') });
    });

    it('when the provider is busy, broken, or finds the context too large', async () => {
      const limits = { maxAttempts: 1, retryBackoffMs: 1 };
      const { data } = (await server.call('GET', '/api/ai-router/settings')).body;
      const { updatedAtUtc: _, ...settings } = data;
      await server.call('PUT', '/api/ai-router/settings', { ...settings, ...limits });
      provider.reply({ status: 429, headers: { 'retry-after': '7' } });
      const busy = await failing(openai.chat.completions.create({ model, messages: asked }));
      expect(busy).toBeInstanceOf(OpenAI.RateLimitError);
      expect(busy.code).toBe('rate_limit_exceeded');
      expect(busy.headers?.get('retry-after')).toBe('7');
      provider.reply({ status: 500 });
      expect(await failing(openai.chat.completions.create({ model, messages: asked }))).toMatchObject({
        status: 502,
        type: 'server_error',
      });
      provider.reply({ status: 400, body: '{"error":{"message":"maximum context length is 5 tokens"}}' });
      expect(await failing(openai.chat.completions.create({ model, messages: asked }))).toMatchObject({
        status: 400,
        code: 'context_length_exceeded',
      });
    });

    it('when a budget is spent', async () => {
      const made = await server.call('POST', '/api/ai-router/budgets', {
        name: 'Nothing left',
        scope: 'Tenant',
        period: 'Month',
        limitTokens: 1,
        action: 'Block',
      });
      expect(made.status).toBe(200);
      // The first call spends it, as soon as it is in the ledger.
      const error = await vi.waitFor(
        () => failing(openai.chat.completions.create({ model, messages: asked })),
        patience,
      );
      await server.call('DELETE', `/api/ai-router/budgets/${made.body.data.id}`);
      expect(error).toMatchObject({ status: 429, code: 'insufficient_quota' });
      expect(error.headers?.get('x-should-retry')).toBe('false');
    });

    it('in the middle of a stream', async () => {
      provider.reply({ text: ['Half', ' an', ' answer'], cutAfter: 3 });
      const stream = await openai.chat.completions.create({ model, messages: asked, stream: true });
      let text = '';
      const reading = async () => {
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
      };
      const error = await failing(reading());
      expect(error).toMatchObject({ code: 'provider_error', type: 'server_error' });
      expect(text).toBe('Half an');
      provider.reply({ text: ['Half', ' an', ' answer'], cutAfter: 3 });
      const events: string[] = [];
      for await (const event of await openai.responses.create({ model, input: 'x', stream: true })) {
        events.push(event.type);
        if (event.type === 'response.failed') expect(event.response).toMatchObject({ status: 'failed', error: {} });
      }
      expect(events.at(-1)).toBe('response.failed');
    });
  });

  it('cancels the call at the provider when its client leaves', async () => {
    provider.reply({ text: ['One', ' two', ' three'], stallAfter: 3 });
    const stream = await openai.chat.completions.create({ model, messages: asked, stream: true });
    for await (const _ of stream) break;
    await provider.left(1);
    provider.reply({ text: ['One'], stallAfter: 0 });
    const abort = new AbortController();
    const waiting = openai.chat.completions.create({ model, messages: asked }, { signal: abort.signal });
    const ended = expect(waiting).rejects.toBeInstanceOf(APIUserAbortError);
    await provider.arrived(2);
    abort.abort();
    await ended;
    await provider.left(2);
  });
});
