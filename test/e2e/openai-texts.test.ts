// Text completions, embeddings of tokens, names of models, and keys, as clients of OpenAI's interface use them.
import { encode } from 'gpt-tokenizer/encoding/cl100k_base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failing, model, type OpenAiWorld, startOpenAiWorld } from '../support/openai-client.ts';
import { request } from '../support/test-server.ts';

describe('older and rarer calls', () => {
  let world: OpenAiWorld;
  beforeAll(async () => {
    world = await startOpenAiWorld('node');
    world.provider.models = ['fake-model', 'fake-embed', 'vendor/large-model'];
  });
  afterAll(() => world.close());
  beforeEach(() => world.begin());

  it('completes texts, one or several, whole and streamed', async () => {
    const { completions } = world.openai;
    world.provider.reply({ text: [' one', ' two END three'] });
    const whole = await completions.create({ model, prompt: 'Count:', max_tokens: 9, stop: 'END', echo: true });
    expect(whole).toMatchObject({
      object: 'text_completion',
      choices: [{ text: 'Count: one two ', finish_reason: 'stop' }],
    });
    expect(world.sent()).toMatchObject({ messages: [{ role: 'user', content: 'Count:' }], max_tokens: 9 });
    const prompt = [encode('red apple'), encode('blue sea')];
    const several = await completions.create({ model, prompt });
    expect(several.choices.map(({ index, text }) => [index, text])).toEqual([
      [0, 'Hello world'],
      [1, 'Hello world'],
    ]);
    expect(several.usage).toMatchObject({ prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 });
    expect(world.sent().messages[0].content).toBe('blue sea');
    let text = '';
    for await (const chunk of await completions.create({ model, prompt: 'x', stream: true }))
      text += chunk.choices[0]?.text;
    expect(text).toBe('Hello world');
    expect(await failing(completions.create({ model, prompt: 'x', suffix: 'y' }))).toMatchObject({ param: 'suffix' });
    expect(await failing(completions.create({ model: 'nobody', prompt: 'x', stream: true }))).toMatchObject({
      status: 404,
    });
  });

  it('embeds tokens as the texts that they are, and says what the texts are for', async () => {
    const create = (input: never) => world.openai.embeddings.create({ model: 'openai:fake-embed', input });
    const texts = await create(['red apple', 'blue sea'] as never);
    const tokens = await create([encode('red apple'), encode('blue sea')] as never);
    expect(tokens.data).toEqual(texts.data);
    expect((await create(encode('blue sea') as never)).data[0]?.embedding).toEqual(texts.data[1]?.embedding);
    await world.openai.embeddings.create({
      model: 'openai:fake-embed',
      input: 'x',
      input_type: 'query',
      user: 'someone',
      truncate: 'END',
    } as never);
    expect(world.provider.embedded.at(-1)).toMatchObject({
      input: ['x'],
      input_type: 'query',
      user: 'someone',
      truncate: 'END',
    });
    expect(await failing(create([1.5] as never))).toMatchObject({ status: 400, param: 'input' });
  });

  it('knows models whose names have slashes, and since when each is there', async () => {
    const name = 'openai:vendor/large-model';
    for (const path of [name, encodeURIComponent(name), 'vendor/large-model'])
      expect(await world.server.call('GET', `/v1/models/${path}`)).toMatchObject({ status: 200 });
    expect(await world.openai.models.retrieve(name)).toMatchObject({ id: name, object: 'model' });
    await world.openai.chat.completions.create({
      model: 'vendor/large-model',
      messages: [{ role: 'user', content: 'x' }],
    });
    expect(world.sent().model).toBe('vendor/large-model');
    for await (const { created } of world.openai.models.list()) expect(created).toBeGreaterThan(1_600_000_000);
  });

  it('takes a key in x-api-key, and says what is wrong with one of another service', async () => {
    const get = (headers: Record<string, string>) => request(world.server.url, 'GET', '/v1/models', undefined, headers);
    expect((await get({ 'x-api-key': world.server.key })).status).toBe(200);
    expect(
      (await request(world.server.url, 'GET', '/api/agent/runs', undefined, { 'x-api-key': world.server.key })).status,
    ).toBe(200);
    const foreign = await get({ authorization: 'Bearer sk-proj-abc' });
    expect(foreign).toMatchObject({ status: 401, body: { error: { code: 'invalid_api_key' } } });
    expect(foreign.body.error.message).toMatch(/rvt_.*api-keys/s);
  });
});
