// What a viewer of a run receives for one event of its progress, on every transport.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openIo } from '../../src/stream/testing/clients.ts';
import { openStage, type Stage } from '../support/stage.ts';
import { transports } from '../support/test-server.ts';
import { openSocket } from '../support/web-socket.ts';

const summary = 'I have read the three files and compared what they say of the limits. '.repeat(4).slice(0, 250);
const most = 600;

interface Frame {
  type: string;
  data: { type: string; message: string } & Record<string, unknown>;
}

describe.each(transports)('over %s', (transport) => {
  let stage: Stage;
  let topic: string;
  beforeAll(async () => {
    stage = await openStage({ RIVULET_TRANSPORT: transport });
    stage.cast({ work: [{ calls: [['run_progress', { summary }]] }, { text: ['Done.'] }] });
    const run = await stage.start('Work');
    topic = `run:${run.id}`;
    await stage.end(run.id);
  });
  afterAll(() => stage.close());

  const authorization = () => ({ authorization: `Bearer ${stage.server.key}`, accept: 'text/event-stream' });
  const isProgress = ({ type, data }: Frame) => type === 'run.event' && data.type === 'ProgressUpdated';
  const events = async (query: string) => {
    const url = `${stage.server.url}/api/events?topics=${topic}&lastEventId=0${query}`;
    const text = await (await fetch(url, { headers: authorization() })).text();
    const blocks = text.split('\n\n').filter((block) => block.includes('\ndata: '));
    return blocks.map((block) => ({ block, frame: JSON.parse(block.slice(block.indexOf('data: ') + 6)) as Frame }));
  };

  it('an event of 250 characters takes 600 bytes at most where nulls are left out', async () => {
    const whole = (await events('')).find(({ frame }) => isProgress(frame))!;
    const lean = (await events('&lean=true')).find(({ frame }) => isProgress(frame))!;
    expect(lean.block.length).toBeLessThanOrEqual(most + lean.block.indexOf('data: '));
    const given = Object.entries(whole.frame.data).filter(([, value]) => value !== null);
    expect(lean.frame).toEqual({ ...whole.frame, data: Object.fromEntries(given) });
    // Whoever does not ask for it gets every field.
    expect(Object.values(whole.frame.data)).toContain(null);

    const socket = await openSocket(stage.server.url, { authorization: authorization().authorization });
    await socket.command({ op: 'Subscribe', id: '1', topics: [topic], lastEventId: '0', data: { lean: true } });
    const seen = await socket.frame((frame) => frame.data?.type === 'ProgressUpdated');
    expect(seen).toEqual(lean.frame);
    expect(JSON.stringify(seen).length).toBeLessThanOrEqual(most);
    socket.end();

    const io = await openIo(stage.server.url, { token: stage.server.key }, 'websocket');
    const told = new Promise<Frame>((resolve) =>
      io.socket.on('event', (frame: Frame) => isProgress(frame) && resolve(frame)),
    );
    await io.command({ op: 'Subscribe', id: '1', topics: [topic], lastEventId: '0', data: { lean: true } });
    expect(await told).toEqual(lean.frame);
    io.socket.disconnect();
  });

  it.each(['auto', 'sse'] as const)('the client hands out every field (%s)', async (kind) => {
    const whole = (await events('')).map(({ frame }) => frame);
    const seen: unknown[] = [];
    for await (const event of stage.server.client.stream(topic, { cursor: '0', transport: kind })) seen.push(event);
    expect(seen).toEqual(whole);
  });
});
