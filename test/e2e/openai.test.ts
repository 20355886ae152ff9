// The official OpenAI client against the server, on both transports: what any program that speaks OpenAI would do.
import type OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  asked,
  failing,
  model,
  type OpenAiWorld,
  startOpenAiWorld,
  weatherCalls,
  weatherTool,
} from '../support/openai-client.ts';
import { transports } from '../support/test-server.ts';

describe.each(transports)('the openai client over %s', (transport) => {
  let world: OpenAiWorld;
  beforeAll(async () => {
    world = await startOpenAiWorld(transport);
  });
  afterAll(() => world.close());
  beforeEach(() => world.begin());

  it('lists models, routes, roles and identities', async () => {
    await world.server.call('POST', '/api/identities', { name: 'Ada', type: 'AI' });
    const ids = [];
    for await (const { id, object } of world.openai.models.list()) {
      expect(object).toBe('model');
      ids.push(id);
    }
    expect(ids).toEqual(expect.arrayContaining([model, 'scripted:demo', 'role:coder', 'identity:Ada']));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('tells of one model, by any name that a call may use', async () => {
    expect(await world.openai.models.retrieve(model)).toMatchObject({ id: model, object: 'model', owned_by: 'openai' });
    expect(await world.openai.models.retrieve('fake-model')).toMatchObject({ id: 'fake-model', owned_by: 'openai' });
    expect(await world.openai.models.retrieve('role:coder')).toMatchObject({ id: 'role:coder', owned_by: 'rivulet' });
    const named = 'openai:meta-llama/Llama 3';
    expect(await world.openai.models.retrieve(named)).toMatchObject({ id: named, owned_by: 'openai' });
    world.provider.reply({ text: ['Hello'] });
    await world.openai.chat.completions.create({ model: named, messages: [{ role: 'user', content: 'x' }] });
    expect(world.provider.requests.at(-1)?.body.model).toBe('meta-llama/Llama 3');
    const missing = await failing(world.openai.models.retrieve('no/such model'));
    expect(missing).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('completes a chat', async () => {
    world.provider.reply({ text: ['Hello', ' you'], usage: { prompt: 12, completion: 7, cacheRead: 4, reasoning: 2 } });
    const answer = await world.openai.chat.completions.create({
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
    expect(world.sent()).toMatchObject({
      model: 'fake-model',
      messages: [
        { role: 'developer', content: 'Be short.' },
        { role: 'user', content: 'Hello?' },
      ],
      temperature: 0.2,
      top_p: 0.9,
      max_completion_tokens: 50,
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      seed: 42,
    });
    await world.ledgered({
      purpose: 'Compat',
      status: 'Succeeded',
      promptTokens: 12,
      completionTokens: 7,
    });
  });

  it('streams text and reasoning, with usage when asked', async () => {
    const pieces = ['So', ' it', ' is', ' 🌊', ' done.'];
    world.provider.reply({ reasoning: ['Hm', 'm.'], text: pieces, usage: { prompt: 3, completion: 9 } });
    const stream = await world.openai.chat.completions.create({
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

    const bare = await world.openai.chat.completions.create({ model, messages: asked, stream: true });
    for await (const chunk of bare) expect(chunk.usage ?? null).toBeNull();
  });

  it('streams nothing but data, which is all that some clients can read', async () => {
    const response = await fetch(`${world.server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: asked, stream: true }),
    });
    const blocks = (await response.text()).replace(/^:\n/, '').split('\n\n');
    expect(blocks.pop()).toBe('');
    expect(blocks.filter((block) => !/^data: .+$/.test(block))).toEqual([]);
  });

  it('accumulates a stream with the helper of the client', async () => {
    world.provider.reply({ text: ['a', 'b', 'c'], toolCalls: weatherCalls });
    const runner = world.openai.chat.completions.stream({ model, messages: asked, tools: [weatherTool] });
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
    world.provider.reply({ toolCalls: weatherCalls }, { text: ['Rain in both.'] });
    const seen: string[] = [];
    const runner = world.openai.chat.completions.runTools({
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
    expect(world.provider.requests[0]?.body).toMatchObject({ tool_choice: 'auto', parallel_tool_calls: false });
    expect(world.sent().messages.slice(-3)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'call_1' }, { id: 'call_2' }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain in Bergen' },
      { role: 'tool', tool_call_id: 'call_2', content: 'rain in Oslo' },
    ]);
  });

  it('gives providers back what they want with the results of their tools', async () => {
    const google = { name: 'G', kind: 'Google', baseUrl: `${world.provider.origin}/v1beta`, apiKey: 'AIza-test-key' };
    const made = (await world.server.call('POST', '/api/ai-router/providers', google)).body.data;
    const named = { providerId: made.id, modelId: 'google:gemini', providerModelName: 'gemini-3-pro' };
    expect((await world.server.call('POST', '/api/ai-router/models', named)).status).toBe(200);
    world.provider.reply({ toolCalls: weatherCalls.slice(0, 1) }, { text: ['Rain.'] });
    const ask = (messages: OpenAI.ChatCompletionMessageParam[]) =>
      world.openai.chat.completions.create({ model: 'google:gemini', messages, tools: [weatherTool] });
    const message = (await ask(asked)).choices[0]?.message as OpenAI.ChatCompletionMessage;
    await ask([
      ...asked,
      message,
      { role: 'tool', tool_call_id: message.tool_calls?.[0]?.id as string, content: 'rain' },
    ]);
    expect(world.sent().contents[1].parts).toMatchObject([
      { functionCall: { name: 'weather' }, thoughtSignature: 'signed' },
    ]);
    await world.server.call('DELETE', `/api/ai-router/providers/${made.id}`, { force: true });
  });

  it('passes on a tool that must be called, a schema, effort and images', async () => {
    world.provider.reply({ text: ['{"city":', '"Bergen"}'] });
    const answer = await world.openai.chat.completions.create({
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
    expect(world.sent()).toMatchObject({
      tool_choice: { type: 'function', function: { name: 'weather' } },
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { schema: { properties: { city: { type: 'string' } } } } },
    });
    expect(world.sent().messages[0].content.map((part: { type: string }) => part.type)).toEqual([
      'text',
      'image_url',
      'image_url',
    ]);
    expect(world.sent().messages[0].content[1].image_url.url).toBe('data:image/png;base64,iVBORw0KGgo=');

    await world.openai.chat.completions.create({ model, messages: asked, response_format: { type: 'json_object' } });
    expect(world.sent().response_format).toEqual({ type: 'json_object' });
  });

  it('ends before a stop text, wherever its pieces fall', async () => {
    for (const stream of [false, true]) {
      world.provider.reply({ text: ['One EN', 'X EN', 'D two', ' three'] });
      const runner = stream
        ? await world.openai.chat.completions
            .stream({ model, messages: asked, stop: ['END', '###'] })
            .finalChatCompletion()
        : await world.openai.chat.completions.create({ model, messages: asked, stop: 'END' });
      expect(runner.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'One ENX ' } });
    }
    expect(world.sent().stop).toEqual(['END', '###']);
  });

  it('speaks as a role or an identity', async () => {
    await world.openai.chat.completions.create({ model: 'role:reviewer', messages: asked });
    expect(world.sent().messages[0]).toMatchObject({ role: 'system', content: expect.stringContaining('a reviewer') });
    expect(world.sent().messages[1]).toEqual({ role: 'user', content: 'Hello?' });
    await world.server.call('POST', '/api/identities', {
      name: 'Marvin',
      type: 'AI',
      bio: 'A very sad robot.',
    });
    await world.openai.responses.create({ model: 'identity:marvin', input: 'Hello?', instructions: 'Sigh.' });
    expect(world.sent().messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'system', 'user']);
    expect(world.sent().messages[0].content).toContain('A very sad robot.');
  });
});
