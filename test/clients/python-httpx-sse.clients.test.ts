// httpx-sse, which many Python clients read streams with.
import { expect, it } from 'vitest';
import { describeClient, errorsFlow, stopFlow, timeoutFlow } from './suite.ts';

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
    program.begin('follow', { run, upto: 2, last });
    await expect.poll(async () => beats(server)).toBeGreaterThan(0);
    model.release();
    const rest = (await program.next()).events;
    const all = [...events, ...rest];
    expect(all.every(({ event, data }) => event !== 'message' && data !== '')).toBe(true);
    const numbers = all.map(({ data }) => JSON.parse(data).seq);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });
});

/** Heartbeats that open event streams have had, by what was sent to them. */
async function beats(server: { call(method: string, path: string): Promise<{ body: { data: unknown } }> }) {
  const { body } = await server.call('GET', '/api/system/connections');
  return JSON.stringify(body.data).length > 2 ? 1 : 0;
}
