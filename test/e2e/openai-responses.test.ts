// Responses and embeddings, as the official OpenAI client asks for them.
import type OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { model, type OpenAiWorld, startOpenAiWorld, weatherCalls, weatherTool } from '../support/openai-client.ts';
import { transports } from '../support/test-server.ts';

describe.each(transports)('responses and embeddings over %s', (transport) => {
  let world: OpenAiWorld;
  beforeAll(async () => {
    world = await startOpenAiWorld(transport);
  });
  afterAll(() => world.close());
  beforeEach(() => world.begin());

  it('responds whole, and goes on from an earlier response', async () => {
    world.provider.reply({
      reasoning: ['Thinking.'],
      text: ['Blue', '.'],
      usage: { prompt: 5, completion: 6, reasoning: 3 },
    });
    const first = await world.openai.responses.create({ model, input: 'Which colour?' });
    expect(first).toMatchObject({ status: 'completed', output_text: 'Blue.', model, error: null });
    expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    expect(first.usage).toMatchObject({
      input_tokens: 5,
      output_tokens: 6,
      total_tokens: 11,
      output_tokens_details: { reasoning_tokens: 3 },
    });
    const second = await world.openai.responses.create({ model, input: 'Why?', previous_response_id: first.id });
    await world.openai.responses.create({ model, input: 'And?', previous_response_id: second.id });
    expect(
      world.sent().messages.map(({ role, content }: { role: string; content: unknown }) => [role, content]),
    ).toEqual([
      ['user', 'Which colour?'],
      ['assistant', 'Blue.'],
      ['user', 'Why?'],
      ['assistant', 'Hello world'],
      ['user', 'And?'],
    ]);
    const unkept = await world.openai.responses.create({ model, input: 'x', store: false });
    await expect(
      world.openai.responses.create({ model, input: 'y', previous_response_id: unkept.id }),
    ).rejects.toMatchObject({
      status: 404,
      param: 'previous_response_id',
    });
  });

  it('streams a response with function calls, and takes their output', async () => {
    world.provider.reply({ reasoning: ['Let', ' me see.'], text: ['Look', 'ing.'], toolCalls: weatherCalls });
    const runner = world.openai.responses.stream({
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
    await world.openai.responses.create({ model, input: outputs, previous_response_id: final.id });
    expect(world.sent().messages.slice(-3)).toMatchObject([
      { role: 'assistant', content: 'Looking.', tool_calls: [{ id: 'call_1' }, { id: 'call_2' }] },
      { role: 'tool', content: 'rain' },
      { role: 'tool', content: 'rain' },
    ]);
    // The same conversation without anything kept here.
    await world.openai.responses.create({
      model,
      store: false,
      input: [{ role: 'user', content: 'Weather?' }, ...final.output, ...outputs] as OpenAI.Responses.ResponseInput,
    });
    expect(world.sent().messages.slice(-3)).toMatchObject([{ content: 'Looking.', tool_calls: [{}, {}] }, {}, {}]);
  });

  it('embeds, as numbers and as base64', async () => {
    const input = ['red apple', 'red apple', 'blue sea'];
    const [plain, packed] = await Promise.all(
      (['float', 'base64'] as const).map((encoding_format) =>
        world.openai.embeddings.create({ model: 'openai:fake-embed', input, encoding_format, dimensions: 32 }),
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
    const decoded = await world.openai.embeddings.create({ model: 'fake-embed', input: 'red apple' });
    expect(decoded.data[0]?.embedding).toHaveLength(64);
    await world.ledgered({ purpose: 'Embedding', status: 'Succeeded', promptTokens: 2 });
    const none = world.openai.embeddings.create({ model: 'auto', input: 'x' });
    await expect(none).rejects.toMatchObject({ status: 501, code: 'not_configured', type: 'server_error' });
  });
});
