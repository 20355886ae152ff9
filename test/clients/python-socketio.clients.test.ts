// python-socketio, over both transports of socket.io.
import { expect, it } from 'vitest';
import { describeClient } from './suite.ts';

interface Seen {
  epoch: string;
  seq: number;
  type: string;
  data: { delta?: string };
}

const client = {
  name: 'python-socketio',
  set: 'python-tools',
  package: 'python-socketio',
  program: 'socketio_client.py',
};
describeClient(client, (world) => {
  it.each(['websocket', 'polling'])('resume', async (transport) => {
    const { server, program, model } = world();
    const words = Array.from({ length: 40 }, (_, at) => ` word${at}`);
    model.reply({ text: words, stallAfter: 30 });
    const { body } = await server.call('POST', '/api/agent/runs', { goal: 'Count.', autoStart: true });
    const run = body.data.id;
    await model.arrived(1);
    program.begin('follow', { run, cuts: [3, 2, 4], transport });
    expect(await program.next()).toEqual({ cut: true });
    model.release();
    const seen: Seen[] = (await program.next()).events;
    expect(seen.at(-1)?.type).toBe('run.ended');
    const numbers = seen.map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] as number) + at));
    const said = seen.flatMap(({ type, data }) => (type === 'run.delta' ? [data.delta] : [])).join('');
    expect(said).toContain(words.join('').trim());
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
