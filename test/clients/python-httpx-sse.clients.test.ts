// httpx-sse, which many Python clients read streams with.
import { expect, it } from 'vitest';
import { type ClientWorld, describeClient, errorsFlow, stopFlow, timeoutFlow } from './suite.ts';

const expected = { errors: { key: 'SSEError', model: 'SSEError', timeout: 'ReadTimeout' } };

describeClient({ name: 'httpx-sse', set: 'python', package: 'httpx-sse', program: 'httpx_sse_client.py' }, (world) => {
  it('stream', async () => {
    world().model.reply({ text: ['Hel', 'lo', ' 🌊'] });
    expect(await world().program.do('stream')).toEqual({ text: 'Hello 🌊' });
  });
  errorsFlow(world, expected);
  stopFlow(world);
  timeoutFlow(world, expected);
  it('resume', async () => {
    const { server, program, model } = world();
    model.reply({ text: ['Working', ' on', ' it'], stallAfter: 2 });
    const made = await server.call('POST', '/api/agent/runs', { goal: 'Wait.', autoStart: true });
    const run = made.body.data.id;
    await model.arrived(1);
    const { events } = await program.do('follow', { run, upto: 3 });
    const last = events.at(-1).id;
    // Heartbeats pass meanwhile, which are no events.
    // To the end of the run, which ends the stream.
    program.begin('follow', { run, upto: 1000, last });
    await expect.poll(() => followerOf(server)).not.toBeNull();
    let seen = await followerOf(server);
    const hasBeaten = async () => {
      const before = seen;
      seen = await followerOf(server);
      return seen?.messagesOut === before?.messagesOut && (seen?.bytesOut ?? 0) > (before?.bytesOut ?? 0);
    };
    await expect.poll(hasBeaten).toBe(true);
    model.release();
    const rest = (await program.next()).events;
    const all = [...events, ...rest];
    expect(all.every(({ event, data }) => event !== 'message' && data !== '')).toBe(true);
    const numbers = all.map(({ data }) => JSON.parse(data).seq);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });
});

/** The event stream that is open, by what was sent to it. */
async function followerOf({ client }: ClientWorld['server']) {
  const { items } = await client.webSocket.connections({ query: {} });
  return items.find(({ transport }) => transport === 'Sse') ?? null;
}
