// What a client of OpenAI's interface sends reaches a provider of the same kind as it was sent, and its answer comes back.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readChat } from '../../src/groups/chat-completions/chat-prompt.ts';
import { ChatCompletionBody, ResponseBody } from '../../src/groups/chat-completions/contract.ts';
import { readResponse } from '../../src/groups/chat-completions/response-prompt.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { SimulatedClock } from '../../src/kernel/simulated-clock.ts';
import { createGateway } from '../../src/models/gateway/gateway.ts';
import { createSdkCalls } from '../../src/models/providers/open-call.ts';
import { gather, modelRequest } from '../support/model-calls.ts';
import {
  asked,
  model,
  type OpenAiWorld,
  startOpenAiWorld,
  weatherCalls,
  weatherTool,
} from '../support/openai-client.ts';
import type { FakeServer } from '../support/openai-server.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const pdf = `data:application/pdf;base64,${Buffer.from('%PDF-1.4').toString('base64')}`;

/** All that a client may send besides the conversation, known here or not. */
const extras = {
  response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema, description: 'Where.' } },
  tools: [{ ...weatherTool, function: { ...weatherTool.function, strict: true } }],
  tool_choice: {
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'weather' } }] },
  },
  parallel_tool_calls: true,
  max_completion_tokens: 50,
  temperature: 0.5,
  seed: 7,
  stop: ['END'],
  service_tier: 'flex',
  user: 'someone',
  metadata: { a: 'b' },
  store: true,
  prompt_cache_key: 'key',
  safety_identifier: 'hash',
  logit_bias: { 50256: -100 },
  verbosity: 'low',
  modalities: ['text'],
  prediction: { type: 'content', content: 'x' },
  web_search_options: {},
  n: 1,
  logprobs: false,
  top_k: 40,
  min_p: 0.1,
  repetition_penalty: 1.1,
  chat_template_kwargs: { enable_thinking: false },
};

/** OpenAI itself has no other address; the gateway alone can be given one. */
const toOpenAi = ({ baseUrl }: FakeServer) =>
  createGateway({
    directory: {
      plan: () => ({
        targets: [
          {
            modelId: 'openai:m-1',
            modelName: 'm-1',
            provider: { key: 'openai', name: 'OpenAI', kind: 'openai', apiKey: 'k', baseUrl },
            price: null,
          },
        ],
      }),
      facts: () => null,
      defaultModelId: () => '',
    },
    open: createSdkCalls(),
    clock: new SimulatedClock(),
    logger: silentLogger,
  });

describe('what a client sends', () => {
  let world: OpenAiWorld;
  const add = async (kind: string, path: string) => {
    const provider = { name: kind, kind, baseUrl: `${world.provider.origin}${path}`, apiKey: 'key-for-tests' };
    const made = await world.server.call('POST', '/api/ai-router/providers', provider);
    const named = { providerId: made.body.data.id, modelId: `${kind.toLowerCase()}-test:m`, providerModelName: 'm-1' };
    expect((await world.server.call('POST', '/api/ai-router/models', named)).status).toBe(200);
    return named.modelId;
  };
  const models: Record<string, string> = {};
  beforeAll(async () => {
    world = await startOpenAiWorld('node');
    models.anthropic = await add('Anthropic', '/v1');
    models.google = await add('Google', '/v1beta');
  });
  afterAll(() => world.close());
  beforeEach(() => world.begin());
  const chat = (body: object) => world.openai.chat.completions.create(body as never) as Promise<unknown>;
  const post = async (path: string, body: object) =>
    (await world.server.call('POST', path, body, { accept: 'application/json' })) as { status: number };

  it('reaches a provider that reads Chat Completions unchanged', async () => {
    const messages = [
      { role: 'developer', content: 'Be short.', name: 'boss' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'file', file: { filename: 'a.pdf', file_data: pdf } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
        ],
      },
      { role: 'assistant', content: null, refusal: 'No.' },
      { role: 'user', content: 'Please.' },
    ];
    await chat({ model, messages, ...extras });
    expect(world.provider.requests[0]?.path).toBe('/v1/chat/completions');
    expect(world.sent()).toEqual({
      model: 'fake-model',
      messages,
      ...extras,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('reaches a provider that reads Responses unchanged', async () => {
    const body = {
      instructions: 'Be short.',
      input: [
        { role: 'user', content: [{ type: 'input_file', filename: 'a.pdf', file_data: pdf }] },
        { role: 'developer', content: 'Now.' },
      ],
      tools: [{ type: 'function', ...weatherTool.function, strict: true }],
      text: { format: { type: 'json_schema', name: 'place', strict: true, schema }, verbosity: 'low' },
      reasoning: { effort: 'low', summary: 'detailed' },
      max_output_tokens: 50,
      service_tier: 'flex',
      user: 'someone',
      metadata: { a: 'b' },
      store: true,
      prompt_cache_key: 'key',
      safety_identifier: 'hash',
      truncation: 'auto',
      max_tool_calls: 3,
    };
    const { prompt } = readResponse(ResponseBody.parse({ model: 'x', stream: false, ...body }), []);
    await gather(toOpenAi(world.provider).stream(modelRequest(prompt)));
    expect(world.provider.requests[0]?.path).toBe('/v1/responses');
    expect(world.sent()).toEqual({
      model: 'm-1',
      ...body,
      stream: true,
      include: ['reasoning.encrypted_content'],
    });
  });

  it('reaches OpenAI through the interface that it was written for', async () => {
    const written = ChatCompletionBody.parse({ model: 'x', messages: asked, ...extras, stream: true });
    const answer = await gather(toOpenAi(world.provider).stream(modelRequest(readChat(written))));
    expect(answer.text).toBe('Hello world');
    expect(world.provider.requests[0]?.path).toBe('/v1/chat/completions');
    expect(world.sent()).toMatchObject({ model: 'm-1', messages: asked, ...extras });
  });

  it('reaches other kinds in their own words: strict tools, names of schemas, documents, a choice among tools', async () => {
    const { response_format, tools } = extras;
    await post('/v1/responses', {
      model,
      input: 'x',
      tools: [{ type: 'function', ...weatherTool.function, strict: true }],
      text: { format: { type: 'json_schema', ...response_format.json_schema } },
    });
    expect(world.sent()).toMatchObject({
      tools: [{ function: { name: 'weather', strict: true } }],
      response_format: { json_schema: { name: 'place', strict: true } },
    });
    const other = { type: 'function', function: { name: 'other', parameters: {} } };
    const content = [{ type: 'file', file: { filename: 'a.pdf', file_data: pdf } }];
    const question = {
      messages: [{ role: 'user', content }],
      tools: [...tools, other],
      tool_choice: extras.tool_choice,
    };
    await chat({ model: models.anthropic, ...question });
    expect(world.sent().messages[0].content).toMatchObject([{ type: 'document', source: { data: pdf.split(',')[1] } }]);
    expect(world.sent().tools.map(({ name }: { name: string }) => name)).toEqual(['weather']);
    await chat({ model: models.google, ...question });
    expect(world.sent().contents[0].parts).toMatchObject([{ inlineData: { mimeType: 'application/pdf' } }]);
  });

  it('may be null wherever it may be left out', async () => {
    const known = { temperature: null, stop: null, tools: null, tool_choice: null, response_format: null, n: null };
    const rest = {
      functions: null,
      function_call: null,
      logit_bias: null,
      audio: null,
      moderation: null,
      stream: null,
    };
    await chat({ model, messages: asked, ...known, ...rest });
    await post('/v1/responses', { model, input: 'x', ...known, background: null, conversation: null, prompt: null });
    await post('/v1/embeddings', { model: 'openai:fake-embed', input: 'x', dimensions: null, input_type: null });
    expect(world.provider.requests).toHaveLength(2);
  });

  it('comes back as what it is: a refusal', async () => {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c', model: 'x', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const rawFrames = [
      chunk({ role: 'assistant', content: null, refusal: 'I ' }),
      chunk({ refusal: "can't." }, 'stop'),
    ];
    world.provider.reply({ rawFrames }, { rawFrames }, { rawFrames });
    const answer = await world.openai.chat.completions.create({ model, messages: asked, stop: 'END' });
    expect(answer.choices[0]?.message).toMatchObject({ content: null, refusal: "I can't." });
    const runner = world.openai.chat.completions.stream({ model, messages: asked });
    expect((await runner.finalChatCompletion()).choices[0]?.message.refusal).toBe("I can't.");
    const response = await world.openai.responses.create({ model, input: 'x' });
    expect(response.output).toMatchObject([{ content: [{ type: 'refusal', refusal: "I can't." }] }]);
  });

  it('may be functions, from before there were tools', async () => {
    const functions = [weatherTool.function];
    const answered = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c', model: 'x', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const rawFrames = [
      answered({ role: 'assistant', function_call: { name: 'weather', arguments: '' } }),
      answered({ function_call: { arguments: '{"city":' } }),
      answered({ function_call: { arguments: '"Bergen"}' } }),
      answered({}, 'function_call'),
    ];
    world.provider.reply({ rawFrames }, { rawFrames }, { toolCalls: weatherCalls.slice(0, 1) });
    const called = { name: 'weather', arguments: '{"city":"Bergen"}' };
    const whole = await world.openai.chat.completions.create({ model, messages: asked, functions });
    expect(world.sent().functions).toEqual(functions);
    expect(whole.choices[0]).toMatchObject({ finish_reason: 'function_call', message: { function_call: called } });
    const streamed = world.openai.chat.completions.stream({ model, messages: asked, functions });
    const { choices } = await streamed.finalChatCompletion();
    expect(choices[0]).toMatchObject({ finish_reason: 'function_call', message: { function_call: called } });
    const messages = [...asked, whole.choices[0]?.message, { role: 'function', name: 'weather', content: 'rain' }];
    const elsewhere = (await chat({ model: models.anthropic, messages, functions })) as { choices: unknown[] };
    expect(world.sent().tools).toMatchObject([{ name: 'weather' }]);
    expect(world.sent().messages.at(-1).content).toMatchObject([{ type: 'tool_result', content: 'rain' }]);
    expect(elsewhere.choices[0]).toMatchObject({ message: { function_call: called } });
  });
});
