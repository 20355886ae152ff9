// Responses that are kept: read again, referred to item by item, made in the background, cancelled and deleted.
import type OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  failing,
  model,
  type OpenAiWorld,
  startOpenAiWorld,
  weatherCalls,
  weatherTool,
} from '../support/openai-client.ts';
import { request, transports } from '../support/test-server.ts';

type Event = OpenAI.Responses.ResponseStreamEvent;

describe('kept responses', () => {
  let world: OpenAiWorld;
  beforeAll(async () => {
    world = await startOpenAiWorld(transports[0] ?? 'node');
  });
  afterAll(() => world.close());
  beforeEach(() => world.begin());
  const responses = () => world.openai.responses;
  /** Lets the provider say the rest. */
  const goOn = () =>
    expect
      .poll(() => {
        world.provider.release();
        return world.provider.open;
      })
      .toBe(0);
  const sentMessages = () =>
    world.sent().messages.map(({ role, content }: { role: string; content: unknown }) => [role, content]);

  it('are referred to by the ids of their items', async () => {
    world.provider.reply({ text: ['Blue.'] }, { toolCalls: weatherCalls.slice(0, 1) });
    const first = await responses().create({ model, input: 'Which colour?' });
    const tools = [{ type: 'function' as const, strict: false, ...weatherTool.function }];
    const second = await responses().create({ model, input: 'Weather?', tools });
    await responses().create({
      model,
      input: [
        { role: 'user', content: 'Which colour?' },
        { type: 'item_reference', id: first.output[0]?.id as string },
        { role: 'user', content: 'Weather?' },
        { type: 'item_reference', id: second.output[0]?.id as string },
        { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
      ],
    });
    expect(sentMessages()).toMatchObject([
      ['user', 'Which colour?'],
      ['assistant', 'Blue.'],
      ['user', 'Weather?'],
      ['assistant', null],
      ['tool', 'rain'],
    ]);
    const unknown = await failing(responses().create({ model, input: [{ type: 'item_reference', id: 'msg_none' }] }));
    expect(unknown).toMatchObject({ status: 400, param: 'input.0.id' });
  });

  it('are read again with what was asked, and deleted', async () => {
    const made = await responses().create({
      model,
      input: [
        { role: 'user', content: 'One' },
        { role: 'user', content: 'Two' },
      ],
    });
    expect(await responses().retrieve(made.id)).toMatchObject({
      id: made.id,
      status: 'completed',
      output: made.output,
    });
    const listed = await responses().inputItems.list(made.id, { order: 'asc', limit: 1 });
    expect(listed.data).toMatchObject([{ role: 'user', content: [{ type: 'input_text', text: 'One' }] }]);
    const all = [];
    for await (const item of responses().inputItems.list(made.id, { limit: 1 })) all.push(item);
    expect(all).toMatchObject([{ content: [{ text: 'Two' }] }, { content: [{ text: 'One' }] }]);
    const keys = await world.server.call('POST', '/api/identities', { name: 'Reader', type: 'AI' });
    const path = `/api/identities/${keys.body.data.id}/api-keys`;
    const key = await world.server.call('POST', path, { name: 'k', scopes: ['AiRouterUse'] });
    const other = { authorization: `Bearer ${key.body.data.rawKey}` };
    expect((await request(world.server.url, 'GET', `/v1/responses/${made.id}`, undefined, other)).status).toBe(404);
    await responses().delete(made.id);
    for (const gone of [responses().retrieve(made.id), responses().delete(made.id)])
      expect(await failing(gone)).toMatchObject({ status: 404, type: 'invalid_request_error' });
  });

  it('are made in the background, whoever leaves, and polled', async () => {
    world.provider.reply({ text: ['One', ' two', ' three'], stallAfter: 2 });
    const begun = await responses().create({ model, input: 'Count.', background: true });
    // How much of it is there by now depends on how quick the provider is.
    expect(begun).toMatchObject({ status: 'in_progress', background: true });
    await world.provider.arrived(1);
    expect((await responses().retrieve(begun.id)).status).toBe('in_progress');
    await goOn();
    await expect.poll(async () => (await responses().retrieve(begun.id)).status).toBe('completed');
    expect((await responses().retrieve(begun.id)).output_text).toBe('One two three');
    await responses().create({ model, input: 'On.', previous_response_id: begun.id });
    expect(sentMessages()).toEqual([
      ['user', 'Count.'],
      ['assistant', 'One two three'],
      ['user', 'On.'],
    ]);
    world.provider.reply({ status: 400 });
    const failed = await responses().create({ model, input: 'x', background: true });
    await expect.poll(async () => (await responses().retrieve(failed.id)).status).toBe('failed');
    expect((await responses().retrieve(failed.id)).error?.message).toContain('fake error 400');
  });

  it('are followed from any of their events', async () => {
    world.provider.reply({ text: ['One', ' two', ' three'], stallAfter: 2 });
    const seen: Event[] = [];
    for await (const event of await responses().create({ model, input: 'x', background: true, stream: true })) {
      seen.push(event);
      if (event.type === 'response.output_text.delta') break;
    }
    const { id } = (seen[0] as Extract<Event, { type: 'response.created' }>).response;
    await goOn();
    const starting_after = seen.at(-1)?.sequence_number as number;
    const rest = await responses().retrieve(id, { stream: true, starting_after });
    for await (const event of rest) seen.push(event);
    expect(seen.map(({ sequence_number }) => sequence_number)).toEqual(seen.map((_, at) => at));
    const deltas = seen.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []));
    expect([deltas.join(''), seen.at(-1)?.type]).toEqual(['One two three', 'response.completed']);
    expect(world.provider.aborted).toBe(0);
    // As openai-go asks, whose word for a stream is in the body of its GET.
    const path = `/v1/responses/${id}?starting_after=${starting_after}`;
    const events = String((await world.server.call('GET', path)).body).matchAll(/^data: .*"sequence_number":(\d+)/gm);
    expect([...events].map(([, number]) => Number(number))).toEqual(
      seen.flatMap(({ sequence_number: number }) => (number > starting_after ? [number] : [])),
    );
    expect((await world.server.call('GET', `${path}&stream=false`)).body).toMatchObject({ id, status: 'completed' });
  });

  it('are cancelled, which ends their call', async () => {
    world.provider.reply({ text: ['One', ' two'], stallAfter: 2 });
    const begun = await responses().create({ model, input: 'x', background: true });
    await world.provider.arrived(1);
    expect(await responses().cancel(begun.id)).toMatchObject({ status: 'cancelled' });
    await world.provider.left(1);
    expect((await responses().retrieve(begun.id)).status).toBe('cancelled');
    const whole = await responses().create({ model, input: 'x' });
    expect(await failing(responses().cancel(whole.id))).toMatchObject({ status: 400 });
  });
});
