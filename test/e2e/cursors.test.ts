// Cursors that point nowhere: refused, or told as a gap, on every kind of stream.
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer, transports } from '../support/test-server.ts';
import { openSocket } from '../support/web-socket.ts';

describe.each(transports)('a cursor from nowhere on %s', (transport) => {
  let server: TestServer;
  let topic = '';
  let epoch = '';
  let head = 0;
  beforeAll(async () => {
    server = await startTestServer({ RIVULET_TRANSPORT: transport });
    const run = (await server.call('POST', '/api/agent/runs', { goal: 'cursor' })).body.data;
    topic = `run:${run.id}`;
    await server.call('POST', `/api/agent/runs/${run.id}/notes`, { content: 'a' });
    const socket = await openSocket(server.url, { authorization: `Bearer ${server.key}` });
    await socket.command({ op: 'Subscribe', id: '1', topics: [topic], lastEventId: '0' });
    const first = await socket.frame((frame) => frame.type !== undefined);
    ({ epoch, seq: head } = first);
    socket.end();
  });
  afterAll(() => server.close());
  /** Cursors that look right: of a history that is gone, of a generation that never was, and of the future. */
  const lost = () => [
    `${'0'.repeat(32)}-1.5`,
    `${epoch.replace(/-[0-9a-z]+$/, '-zz')}.1`,
    `${epoch}.${head + 999_999}`,
  ];
  const wrong = ['garbage', '-1', `${'x'.repeat(3000)}`, 'a=b=c', '1.1.1', '🌊.1', 'run:1=,=', 'x.99999999999999999'];

  it('is refused or told as a gap over server-sent events', async () => {
    for (const cursor of wrong) {
      const path = `/api/events?topics=${topic}&lastEventId=${encodeURIComponent(cursor)}`;
      const { status, body } = await server.call('GET', path);
      expect([cursor, status, body.errorCode]).toEqual([cursor, 400, 'INVALID_CURSOR']);
      expect(body.hint).toMatch(/event/);
    }
    for (const cursor of lost()) {
      const response = await fetch(`${server.url}/api/events?topics=${topic}`, {
        headers: { authorization: `Bearer ${server.key}`, 'last-event-id': cursor },
      });
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      let seen = '';
      while (!seen.includes('event: stream.gap')) {
        const { value, done } = await reader.read();
        if (done) break;
        seen += Buffer.from(value);
      }
      expect([cursor, seen]).toEqual([cursor, expect.stringContaining('event: stream.gap')]);
      await reader.cancel();
    }
    expect((await server.call('GET', '/api/events?topics=,')).body.errorCode).toBe('VALIDATION_FAILED');
  });

  it('of hundreds of topics is taken from the query, as clients send it after a cut', async () => {
    const many = [topic, ...Array.from({ length: 299 }, (_, n) => `chat:${1000 + n}`)];
    const lastEventId = many.map((one) => `${one}=${epoch}.${head}`).join(',');
    const path = `/api/events?topics=${topic}&lastEventId=${lastEventId}`;
    const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${server.key}` } });
    expect([lastEventId.length > 6000, response.status]).toEqual([true, 200]);
    await response.body?.cancel();
  });

  it('is refused or told as a gap over WebSocket', async () => {
    const socket = await openSocket(server.url, { authorization: `Bearer ${server.key}` });
    for (const lastEventId of wrong) {
      const answer = await socket.command({ op: 'Subscribe', id: '1', topics: [topic], lastEventId });
      expect([lastEventId, answer.errorCode]).toEqual([lastEventId, 'INVALID_CURSOR']);
    }
    for (const lastEventId of lost()) {
      socket.frames.length = 0;
      const answer = await socket.command({ op: 'Subscribe', id: '2', topics: [topic], lastEventId });
      expect(answer).toMatchObject({ op: 'Ack', ok: true });
      expect((await socket.frame((frame) => frame.type === 'stream.gap')).topic).toBe(topic);
    }
    socket.end();
  });

  it('is refused or told as a gap over socket.io', async () => {
    const socket = io(server.url, { auth: { token: server.key }, reconnection: false });
    for (const lastEventId of wrong) {
      const answer = await socket.emitWithAck('command', { op: 'Subscribe', id: '1', topics: [topic], lastEventId });
      expect([lastEventId, answer.errorCode]).toEqual([lastEventId, 'INVALID_CURSOR']);
    }
    for (const lastEventId of lost()) {
      const gap = new Promise((resolve) =>
        socket.on('event', (event) => event.type === 'stream.gap' && resolve(event)),
      );
      await socket.emitWithAck('command', { op: 'Subscribe', id: '2', topics: [topic], lastEventId });
      expect(await gap).toMatchObject({ topic });
      socket.off('event');
    }
    for (const frame of [undefined, null, 7, 'x', [], { op: 'Nope' }])
      expect(await socket.emitWithAck('command', frame)).toMatchObject({ ok: false, errorCode: 'VALIDATION_FAILED' });
    socket.close();
  });
});
