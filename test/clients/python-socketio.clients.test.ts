// python-socketio, over both transports of socket.io.
import { expect, it } from 'vitest';
import { describeClient, weather } from './suite.ts';

interface Seen {
  epoch: string;
  seq: number;
  type: string;
  data: { delta?: string; content?: string };
}

const client = {
  name: 'python-socketio',
  set: 'python-tools',
  package: 'python-socketio',
  program: 'socketio_client.py',
};
describeClient(client, (world) => {
  it.each(['websocket', 'polling'])('stream', async (transport) => {
    const { server, program, model } = world();
    model.reply({ text: ['Hel', 'lo', ' 🌊'] });
    const { id: run } = await server.client.agentRuns.create({ body: { goal: 'Greet.', autoStart: true } });
    program.begin('follow', { run, cuts: [], transport });
    expect(await program.next()).toEqual({ cut: true });
    const { events } = (await program.next()) as { events: Seen[] };
    expect(events.flatMap(({ type, data }) => (type === 'run.delta' ? [data.delta] : [])).join('')).toContain(
      'Hello 🌊',
    );
  });
  it.each(['websocket', 'polling'])('tools', async (transport) => {
    const { server, program, model } = world();
    const { client } = server;
    const { id: identityId } = await client.identities.create({ body: { name: `Iris of ${transport}` } });
    const { rawKey: key } = await client.identityKeys.create({ params: { identityId }, body: { name: 'socket' } });
    program.begin('offer', { key, transport });
    expect(await program.next()).toEqual({ offered: true });
    model.reply({ toolCalls: weather.map((call) => ({ ...call, name: 'weather_get' })) }, { text: ['Rain.'] });
    await client.agentRuns.create({ body: { goal: 'Look.', identityId, autoStart: true } });
    expect(await program.next()).toEqual({ name: 'weather_get', arguments: { city: 'Bergen' } });
    await model.arrived(2);
    expect(model.requests[1]?.body.messages.at(-1)).toMatchObject({ role: 'tool', content: 'rain' });
  });
  it.each(['websocket', 'polling'])('resume', async (transport) => {
    const { server, program, model } = world();
    model.reply({ text: ['One', ' two', ' three'], stallAfter: 2 });
    const { body } = await server.call('POST', '/api/agent/runs', { goal: 'Count.', autoStart: true });
    const params = { runId: body.data.id };
    await model.arrived(1);
    const noted = Array.from({ length: 200 }, (_, at) => `note ${at}`);
    const note = (content: string) => server.client.agentNotes.create({ params, body: { content } });
    for (const content of noted.slice(0, 150)) await note(content);
    program.begin('follow', { run: params.runId, cuts: [3, 20, 1, 40, 35, 50], transport });
    // The last connection is cut while nothing happens, and much happens before the next one.
    expect(await program.next()).toEqual({ cut: true });
    for (const content of noted.slice(150)) await note(content);
    model.release();
    const seen: Seen[] = (await program.next()).events;
    expect(seen.at(-1)?.type).toBe('run.ended');
    const numbers = seen.map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] as number) + at));
    const kept = seen.flatMap(({ type, data }) => (type === 'run.note' ? [data.content] : []));
    expect(kept).toEqual(noted);
    const said = seen.flatMap(({ type, data }) => (type === 'run.delta' ? [data.delta] : [])).join('');
    expect(said).toContain('One two three');
  });
  it('errors', async () => {
    const told = await world().program.do('refused', { transport: 'websocket' });
    expect(told.error).toBe('ConnectionError');
    expect(told.message).toContain('UNAUTHENTICATED');
  });
  it.each(['websocket', 'polling'])('takes a key in x-api-key over %s', async (transport) => {
    expect(await world().program.do('byHeader', { transport })).toMatchObject({ answer: { op: 'Pong', ok: true } });
  });
});
