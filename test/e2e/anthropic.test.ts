// Anthropic's interface, raw: what its clients send and read, with a provider of theirs and with another one behind it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { request, transports } from '../support/test-server.ts';

const tool = { name: 'weather', description: 'Tells the weather.', input_schema: { type: 'object', properties: {} } };
const asked = [{ role: 'user', content: 'Hello?' }];

describe.each(transports)('messages over %s', (transport) => {
  let world: ServerWithModel;
  const native = 'anthropic-test:claude';
  beforeAll(async () => {
    world = await startServerWithModel({ RIVULET_TRANSPORT: transport });
    const { server, model } = world;
    const provider = { name: 'A', kind: 'Anthropic', baseUrl: `${model.origin}/v1`, apiKey: 'key-for-tests' };
    const made = await server.call('POST', '/api/ai-router/providers', provider);
    const named = { providerId: made.body.data.id, modelId: native, providerModelName: 'claude-9' };
    expect((await server.call('POST', '/api/ai-router/models', named)).status).toBe(200);
  });
  afterAll(() => world.close());
  beforeEach(() => {
    world.model.requests.length = 0;
  });
  const post = (body: object, path = '/v1/messages', headers: Record<string, string> = {}) =>
    request(world.server.url, 'POST', path, body, { 'x-api-key': world.server.key, ...headers });
  const events = (text: string) =>
    text
      .replace(/^:\n/, '')
      .split('\n\n')
      .filter(Boolean)
      .map((block) => {
        const [event, data] = block.split('\n') as [string, string];
        const parsed = JSON.parse(data.slice('data: '.length));
        expect(event).toBe(`event: ${parsed.type}`);
        return parsed;
      });

  it('reach Anthropic unchanged, and thoughts come back signed', async () => {
    const body = {
      max_tokens: 2_000,
      system: [{ type: 'text', text: 'Be short.', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'signed' },
            { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'rain' }] },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
          ],
        },
      ],
      tools: [{ ...tool, cache_control: { type: 'ephemeral' } }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 1_500 },
      top_k: 5,
      metadata: { user_id: 'u' },
      service_tier: 'auto',
      stop_sequences: ['END'],
    };
    const usage = { prompt: 20, completion: 5, cacheRead: 8 };
    world.model.reply(
      { reasoning: ['Let me', ' see.'], text: ['Rain', '.'], usage },
      { reasoning: ['So.'], text: ['x'] },
    );
    const { status, body: message } = await post({ model: native, ...body }, '/v1/messages', {
      'anthropic-beta': 'b-1',
    });
    expect(status).toBe(200);
    const [sent] = world.model.requests;
    expect(sent?.body).toEqual({ model: 'claude-9', ...body, stream: true });
    expect([sent?.path, sent?.headers['anthropic-beta']]).toEqual(['/v1/messages', 'b-1']);
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: native,
      content: [
        { type: 'thinking', thinking: 'Let me see.', signature: 'signed' },
        { type: 'text', text: 'Rain.' },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 12, output_tokens: 5, cache_read_input_tokens: 8 },
    });
    const streamed = events((await post({ model: native, ...body, stream: true })).body);
    expect(streamed.map(({ type, delta }) => delta?.type ?? type)).toEqual([
      'message_start',
      'content_block_start',
      'thinking_delta',
      'signature_delta',
      'content_block_stop',
      'content_block_start',
      'text_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it('are put into the words of another provider, and its answer into theirs', async () => {
    world.model.reply({
      reasoning: ['Hm.'],
      text: ['Looking.'],
      toolCalls: [
        { id: 'call_1', name: 'weather', arguments: ['{"ci', 'ty":"Oslo"}'] },
        { id: 'call_2', name: 'weather', arguments: ['{}'] },
      ],
    });
    const first = events(
      (await post({ model: 'fake-model', max_tokens: 50, messages: asked, tools: [tool], stream: true })).body,
    );
    const starts = first.filter(({ type }) => type === 'content_block_start').map((one) => one.content_block.type);
    expect(starts).toEqual(['thinking', 'text', 'tool_use', 'tool_use']);
    expect(first.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } });
    const call = { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Oslo' } };
    const { body } = await post({
      model: 'fake-model',
      max_tokens: 50,
      system: 'Be short.',
      messages: [
        ...asked,
        { role: 'assistant', content: [{ type: 'text', text: 'Looking.' }, call] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'rain', is_error: false }] },
      ],
      tools: [tool],
      tool_choice: { type: 'any' },
    });
    expect(body.content).toEqual([{ type: 'text', text: 'Hello world' }]);
    expect(world.model.requests[1]?.body).toMatchObject({
      max_tokens: 50,
      tool_choice: 'required',
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Hello?' },
        { role: 'assistant', tool_calls: [{ id: 'call_1' }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
      ],
    });
  });

  it('are counted', async () => {
    const short = await post({ model: native, messages: asked }, '/v1/messages/count_tokens');
    const long = await post(
      { model: native, messages: asked, system: 'word '.repeat(100) },
      '/v1/messages/count_tokens',
    );
    expect(short.body.input_tokens).toBeGreaterThan(2);
    expect(long.body.input_tokens - short.body.input_tokens).toBeGreaterThan(90);
    expect(world.model.requests).toEqual([]);
  });

  it('fail as Anthropic has them fail', async () => {
    const wrong: [object, number, string][] = [
      [{ model: 'no-such', max_tokens: 5, messages: asked }, 404, 'not_found_error'],
      [{ model: native, messages: asked }, 400, 'invalid_request_error'],
      [
        { model: native, max_tokens: 5, messages: asked, tools: [{ type: 'bash_20250124', name: 'b' }] },
        400,
        'invalid_request_error',
      ],
    ];
    for (const [body, status, type] of wrong) {
      const failed = await post(body);
      expect([failed.status, failed.body.type, failed.body.error.type]).toEqual([status, 'error', type]);
    }
    const stranger = await request(world.server.url, 'POST', '/v1/messages', {}, { 'x-api-key': 'sk-ant-x' });
    expect(stranger).toMatchObject({ status: 401, body: { error: { type: 'authentication_error' } } });
    expect(stranger.body.error.message).toContain('rvt_');
    world.model.reply({ text: ['Half', ' an', ' answer'], cutAfter: 3 });
    const cut = events((await post({ model: 'fake-model', max_tokens: 50, messages: asked, stream: true })).body);
    expect(cut.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
  });
});
