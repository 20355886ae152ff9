// The stream of one run ends with the run, on every transport; `follow` goes on to its restart.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '../../src/client/client.ts';
import { openIo } from '../../src/stream/testing/clients.ts';
import { fakeModel, startServerWithModel } from '../support/server-with-model.ts';
import { openStage, type Stage } from '../support/stage.ts';
import { transports } from '../support/test-server.ts';
import { openSocket } from '../support/web-socket.ts';

describe.each(transports)('over %s', (transport) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ RIVULET_TRANSPORT: transport });
    stage.cast({ work: [{ calls: [['run_progress', { summary: 'half' }]] }, { text: ['Done.'] }] });
  });
  afterAll(() => stage.close());

  const authorization = () => ({ authorization: `Bearer ${stage.server.key}`, accept: 'text/event-stream' });
  const types = (text: string) => [...text.matchAll(/^event: (\S+)$/gm)].map(([, type]) => type);

  it.each(['auto', 'sse'] as const)('the client iterates to the end (%s)', async (kind) => {
    const run = await stage.start('Work.');
    const seen: string[] = [];
    for await (const event of stage.server.client.stream(`run:${run.id}`, { cursor: '0', transport: kind }))
      seen.push(event.type);
    expect(seen.at(-1)).toBe('run.ended');
    for await (const event of stage.server.client.stream(`run-tree:${run.id}`, { cursor: '0', transport: kind }))
      seen.push(event.type);
    expect(seen.at(-1)).toBe('tree.quiesced');
    for await (const event of stage.server.client.stream(`run:${run.id}`, { transport: kind })) seen.push(event.type);
  });

  it.each(['ws', 'sse'] as const)('a topic that is not there is refused with its own status (%s)', async (kind) => {
    const { url: baseUrl, key: token } = stage.server;
    const stream = createClient({ baseUrl, token, WebSocket: WebSocket as never }).stream('run:999999', {
      transport: kind,
    });
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 });
  });

  it('an event stream ends in order, and who comes back to it is told to stay away', async () => {
    const run = await stage.start('Work.');
    const url = `${stage.server.url}/api/agent/runs/${run.id}/events`;
    const text = await (await fetch(url, { headers: authorization() })).text();
    expect(types(text).at(-1)).toBe('run.ended');
    const last = [...text.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? '';
    const again = await fetch(url, { headers: { ...authorization(), 'last-event-id': last } });
    expect([again.status, await again.text()]).toEqual([204, '']);
  });

  it('an event stream over several topics ends when all of them do', async () => {
    const [one, other] = [await stage.start('Work.'), await stage.start('Work.')];
    const topics = `run:${one.id},run:${other.id}`;
    const url = `${stage.server.url}/api/events?topics=${topics}&lastEventId=run:${one.id}=0,run:${other.id}=0`;
    const text = await (await fetch(url, { headers: authorization() })).text();
    expect(types(text).filter((type) => type === 'run.ended')).toHaveLength(2);
  });

  it('sockets are told that a topic is over, and go on with the others', async () => {
    const run = await stage.start('Work.');
    const topic = `run:${run.id}`;
    const socket = await openSocket(stage.server.url, { authorization: authorization().authorization });
    expect(
      await socket.command({ op: 'Subscribe', id: '1', topics: [topic, 'runs'], lastEventId: `${topic}=0` }),
    ).toMatchObject({ ok: true });
    expect(await socket.frame(({ op }) => op === 'Unsubscribe')).toMatchObject({ id: null, ok: true, topics: [topic] });
    expect(socket.frames.filter((frame) => frame.topic === topic).at(-1).type).toBe('run.ended');
    expect(await socket.command({ op: 'Hello', id: '2' }, ({ id }) => id === '2')).toMatchObject({
      topics: ['me', 'runs'],
    });
    socket.end();
    const io = await openIo(stage.server.url, { token: stage.server.key }, 'websocket');
    const told = new Promise((resolve) =>
      io.socket.on('reply', (reply: { op: string }) => reply.op === 'Unsubscribe' && resolve(reply)),
    );
    await io.command({ op: 'Subscribe', id: '1', topics: [topic], lastEventId: '0' });
    expect(await told).toMatchObject({ ok: true, topics: [topic] });
    io.socket.disconnect();
  });

  it('with follow they go on after the end, to the restart', async () => {
    const run = await stage.start('Work.');
    await stage.end(run.id);
    const topic = `run:${run.id}`;
    const socket = await openSocket(stage.server.url, { authorization: authorization().authorization });
    await socket.command({ op: 'Subscribe', id: '1', topics: [topic], data: { follow: true } });
    const url = `${stage.server.url}/api/agent/runs/${run.id}/events?follow=true`;
    const stop = new AbortController();
    const response = await fetch(url, { headers: authorization(), signal: stop.signal });
    let text = '';
    const read = (async () => {
      for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk);
    })().catch(() => undefined);
    await expect.poll(() => types(text)).toContain('run.ended');
    await stage.server.client.agentRuns.restart({ params: { id: run.id }, body: {} });
    await socket.frame(({ type }) => type === 'run.ended');
    await expect.poll(() => types(text).filter((type) => type === 'run.ended').length).toBe(2);
    expect(socket.frames.some(({ op }) => op === 'Unsubscribe')).toBe(false);
    stop.abort();
    await read;
    socket.end();
    // Who comes later gets both, and then the end.
    const later: string[] = [];
    for await (const event of stage.server.client.stream(topic, { cursor: '0' })) later.push(event.type);
    expect(later.filter((type) => type === 'run.ended')).toHaveLength(2);
  });
});

it.each(transports)(
  'a stream of another API is not told by a server that stops when to come back, over %s',
  async (transport) => {
    const { model, server, close } = await startServerWithModel({ RIVULET_TRANSPORT: transport });
    model.reply({ text: ['One', ' two'], stallAfter: 2 });
    const body = JSON.stringify({ model: fakeModel, messages: [{ role: 'user', content: 'Count.' }], stream: true });
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    const read = async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        text += Buffer.from(value).toString();
      }
    };
    const ended = read().catch(() => undefined);
    await expect.poll(() => text).toContain('One');
    await Promise.all([server.close(), ended]);
    expect(text).not.toContain('retry:');
    await close();
  },
);
