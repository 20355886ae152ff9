// Real clients on every transport: they subscribe, are cut, resume, are refused, sent away and let back in.
import { afterEach, describe, expect, test } from 'vitest';
import { Fault } from '../../kernel/fault.ts';
import { adapters } from '../testing/adapters.ts';
import { type IoClient, openIo, openSse, openWs } from '../testing/clients.ts';
import { startTestServer, type TestServer, testCaller } from '../testing/server.ts';

describe.each(adapters)('on $name', ({ adapter }) => {
  let server: TestServer;
  const closing: (() => unknown)[] = [];
  const start = async (options: Parameters<typeof startTestServer>[1] = {}) => {
    server = await startTestServer(adapter, options);
    return server;
  };
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await server.close();
  });
  const ws = async (key: string | null = 'key-1', query = '') => {
    const client = await openWs(`${server.wsUrl}${query}`, key);
    closing.push(() => client.socket.terminate());
    return client;
  };
  const sse = async (query: string, lastEventId?: string) => {
    const client = await openSse(`${server.url}/api/events?${query}`, 'key-1', lastEventId);
    closing.push(() => client.source.close());
    return client;
  };
  const ioClient = async (auth: Record<string, unknown>, transport = 'websocket') => {
    const client = await openIo(server.url, auth, transport);
    closing.push(() => client.socket.close());
    return client;
  };
  const publish = (n: number, topics = ['run:1']) =>
    server.streams.publisher.publish({ tenantId: 1, topics, type: 'run.event', data: { n } });
  const publishMany = async (from: number, to: number, topics?: string[]) => {
    for (let n = from; n < to; n++) await publish(n, topics);
  };
  const numbers = (events: readonly { data: Record<string, unknown> }[]) => events.map((event) => event.data.n);
  const range = (count: number) => Array.from({ length: count }, (_, n) => n);

  test('a WebSocket is greeted first, then follows what it asked for', async () => {
    await start();
    const client = await ws();
    const ack = await client.command({ op: 'Subscribe', topics: ['run:1'] });
    expect(client.replies.all[0]).toMatchObject({ op: 'Hello', ok: true, topics: ['me'] });
    expect(ack).toEqual({ op: 'Ack', id: '1', ok: true, error: null, errorCode: null, topics: ['run:1'], seq: 0 });
    await publishMany(0, 3);
    const [first] = await client.events.upTo(3);
    expect(numbers(client.events.all)).toEqual([0, 1, 2]);
    expect(first).toMatchObject({ seq: 1, topic: 'run:1', type: 'run.event' });
    expect(await client.command({ op: 'Ping' })).toMatchObject({ op: 'Pong', ok: true });
    expect(await client.command({ op: 'Unsubscribe', topic: 'run:1' })).toMatchObject({ op: 'Ack', topics: ['run:1'] });
    await publish(3);
    await client.command({ op: 'Ping' });
    expect(client.events.all).toHaveLength(3);
  });

  test('a WebSocket cut ten times misses and repeats nothing', async () => {
    await start();
    const seen: { epoch: string; seq: number; data: Record<string, unknown> }[] = [];
    const writing: Promise<void>[] = [];
    for (let cut = 0; cut < 10; cut++) {
      const client = await ws();
      const last = seen.at(-1);
      writing.push(publishMany(cut * 40, cut * 40 + 40));
      await client.command({
        op: 'Subscribe',
        topics: ['run:1'],
        lastEventId: last ? `${last.epoch}.${last.seq}` : '0',
      });
      await client.events.upTo(20);
      client.socket.terminate();
      seen.push(...client.events.all);
    }
    await Promise.all(writing);
    const last = seen.at(-1);
    const client = await ws('key-1', `?topics=run:1&lastEventId=${last?.epoch}.${last?.seq}`);
    await client.events.upTo(400 - seen.length);
    expect(client.events.all).toHaveLength(400 - seen.length);
    seen.push(...client.events.all);
    expect(numbers(seen)).toEqual(range(400));
  });

  test('server-sent events resume by Last-Event-ID, over one topic and over several', async () => {
    await start();
    await publishMany(0, 5, ['run:1', 'runs']);
    const one = await sse('topics=run:1', '0');
    await one.events.upTo(5);
    one.source.close();
    await publishMany(5, 8, ['run:1', 'runs']);
    const again = await sse('topics=run:1', one.events.all.at(-1)?.id);
    await again.events.upTo(3);
    expect(numbers([...one.events.all, ...again.events.all])).toEqual(range(8));

    const both = await sse('topics=run:1,runs&lastEventId=0');
    await both.events.upTo(16);
    const half = both.events.all[7];
    const rest = await sse('topics=run:1,runs', half?.id);
    await rest.events.upTo(8);
    const held = [...both.events.all.slice(0, 8), ...rest.events.all];
    for (const topic of ['run:1', 'runs']) {
      expect(numbers(held.filter((event) => event.topic === topic))).toEqual(range(8));
    }
  });

  test('an event stream may leave out types and deltas', async () => {
    await start();
    const { publisher } = server.streams;
    const delta = { runId: 1, iteration: 1, kind: 'Content', toolCallId: null, delta: 'x' };
    await publish(0);
    await publisher.publish({ tenantId: 1, topics: ['run:1'], type: 'run.delta', data: delta });
    await publisher.publish({ tenantId: 1, topics: ['run:1'], type: 'run.status', data: { n: 1 } });
    await publish(2);
    const quiet = await sse('topics=run:1&lastEventId=0&includeDeltas=false');
    expect((await quiet.events.upTo(3)).map(({ type }) => type)).toEqual(['run.event', 'run.status', 'run.event']);
    const some = await sse('topics=run:1&replaySeconds=60&types=run.status');
    expect((await some.events.upTo(1)).map(({ type }) => type)).toEqual(['run.status']);
  });

  test('a socket begins with the last seconds where it asks for them and has no cursor', async () => {
    await start();
    await publishMany(0, 3);
    const client = await ws();
    const subscribe = (more: Record<string, unknown>) =>
      client.command({ op: 'Subscribe', topics: ['run:1'], ...more });
    expect(await subscribe({ data: { replaySeconds: 60 } })).toMatchObject({ ok: true, seq: 3 });
    await publish(3);
    expect(numbers(await client.events.upTo(4))).toEqual(range(4));
    const { epoch, seq } = client.events.all[1] ?? {};
    await subscribe({ lastEventId: `${epoch}.${seq}`, data: { replaySeconds: 60 } });
    expect(numbers((await client.events.upTo(6)).slice(4))).toEqual([2, 3]);
    const refused = { ok: false, errorCode: 'VALIDATION_FAILED', error: expect.stringContaining('data.replaySeconds') };
    for (const replaySeconds of [-1, 0.5, 86_401, '5'])
      expect(await subscribe({ data: { replaySeconds } })).toMatchObject(refused);
  });

  test('only events end with a blank line, so that no client takes anything else for one', async () => {
    await start();
    const headers = { authorization: 'Bearer key-1' };
    const query = 'topics=run:1&types=run.status&heartbeatSeconds=1';
    const response = await fetch(`${server.url}/api/events?${query}`, { headers });
    let told = '';
    const ended = (async () => {
      for await (const chunk of response.body ?? []) told += Buffer.from(chunk).toString();
    })();
    await publish(0);
    await server.streams.publisher.publish({ tenantId: 1, topics: ['run:1'], type: 'run.status', data: { n: 1 } });
    await expect.poll(() => told).toContain(': ping');
    server.streams.drain();
    await ended;
    const blocks = told.split('\n\n');
    expect(blocks).toHaveLength(2);
    expect(blocks[0]).toMatch(/^(:\n)?retry: \d+\nid: \S+\nevent: run\.status\ndata: .*$/);
    expect(blocks[1]).toMatch(/^(: ping\n)+retry: \d+\n$/);
  });

  test('an event stream says in its head where it begins', async () => {
    await start();
    await publish(0);
    const headers = { authorization: 'Bearer key-1' };
    const response = await fetch(`${server.url}/api/events?topics=run:1`, { headers });
    await publish(1);
    const again = await sse('topics=run:1', response.headers.get('last-event-id') ?? 'none');
    expect(numbers(await again.events.upTo(1))).toEqual([1]);
  });

  test.each(['websocket', 'polling'])('socket.io over %s has the same commands and events', async (transport) => {
    await start();
    const client: IoClient = await ioClient({ token: 'key-1' }, transport);
    expect(await client.command({ op: 'Subscribe', id: 'a', topics: ['run:1', 'runs'] })).toMatchObject({
      op: 'Ack',
      id: 'a',
      topics: ['run:1', 'runs'],
    });
    await publishMany(0, 50);
    await client.events.upTo(50);
    expect(numbers(client.events.all)).toEqual(range(50));
    const refused = await client.command({ op: 'Subscribe', id: 'b', topics: ['run:13'] });
    expect(refused).toMatchObject({ op: 'Error', id: 'b', ok: false, errorCode: 'FORBIDDEN' });
    expect(server.streams.connections(1)).toMatchObject([{ transport: 'SocketIo', topics: ['me', 'run:1', 'runs'] }]);
  });

  test('an answer to a poll of socket.io holds no more packets than python-socketio takes', async () => {
    await start();
    const poll = `${server.url}/socket.io/?EIO=4&transport=polling`;
    const { sid } = JSON.parse((await (await fetch(poll)).text()).slice(1));
    const say = (packet: string) => fetch(`${poll}&sid=${sid}`, { method: 'POST', body: packet });
    await say(`40${JSON.stringify({ token: 'key-1' })}`);
    await say(`42${JSON.stringify(['command', { op: 'Subscribe', id: '1', topics: ['run:1'] }])}`);
    await publishMany(0, 60);
    const seen: unknown[] = [];
    while (seen.length < 60) {
      const packets = (await (await fetch(`${poll}&sid=${sid}`)).text()).split('\x1e');
      expect(packets.length).toBeLessThanOrEqual(16);
      const events = packets.flatMap((packet) =>
        packet.startsWith('42["event"') ? [JSON.parse(packet.slice(2))[1]] : [],
      );
      seen.push(...numbers(events));
    }
    expect(seen).toEqual(range(60));
  });

  test('who may not come in is told why', async () => {
    await start();
    const wrong = await ws('key-wrong');
    expect(await wrong.closed).toMatchObject({ code: 4001 });
    expect(wrong.replies.all[0]).toMatchObject({ op: 'Error', errorCode: 'UNAUTHENTICATED' });
    expect((await (await ws(null)).closed).code).toBe(4001);
    await expect(ioClient({ token: 'nobody' })).rejects.toMatchObject({ data: { errorCode: 'UNAUTHENTICATED' } });
    const get = (path: string) => fetch(`${server.url}${path}`, { headers: { authorization: 'Bearer key-1' } });
    expect((await get('/api/events?topics=run:13')).status).toBe(403);
    expect((await get('/api/events?topics=nonsense')).status).toBe(404);
    expect((await get('/api/events?topics=runs&lastEventId=nonsense')).status).toBe(400);
    expect(server.streams.connections(1)).toEqual([]);
  });

  test('bad commands are answered and hurt nobody', async () => {
    await start();
    const client = await ws();
    client.socket.send('not json');
    client.socket.send('[]');
    client.socket.send(JSON.stringify({ op: 'Dance', id: 'x' }));
    client.socket.send(Buffer.from([0xff, 0xfe]));
    expect(await client.command({ op: 'Subscribe' })).toMatchObject({ ok: false, errorCode: 'VALIDATION_FAILED' });
    expect(await client.command({ op: 'Subscribe', topics: ['runs'], lastEventId: '?' })).toMatchObject({
      errorCode: 'INVALID_CURSOR',
    });
    expect(await client.command({ op: 'Publish', topic: 'run:1', type: 'run.event' })).toMatchObject({ ok: false });
    expect(await client.command({ op: 'Ping' })).toMatchObject({ op: 'Pong' });
    expect(client.replies.all.filter((reply) => reply.id === 'x')).toHaveLength(1);
  });

  test('a cursor from nowhere gets a gap, and still the end of what has ended', async () => {
    await start();
    const { publisher } = server.streams;
    await publishMany(0, 3);
    await publisher.publish({ tenantId: 1, topics: ['run:1'], type: 'run.ended', data: { n: 3 } });
    const client = await ws();
    await client.command({ op: 'Subscribe', topics: ['run:1'], lastEventId: 'elsewhere-1.77', data: { follow: true } });
    const [gap, ended] = await client.events.upTo(2);
    expect(gap).toMatchObject({ type: 'stream.gap', data: { topic: 'run:1', requestedSeq: 77, latestSeq: 4 } });
    expect(ended).toMatchObject({ type: 'run.ended', seq: 4 });
    await publish(4);
    await client.events.upTo(3);
    expect(client.events.all.map(({ seq }) => seq)).toEqual([3, 4, 5]);
  });

  test('a ticket opens one socket, and only the topics that it names', async () => {
    await start();
    const { ticket } = await server.streams.tickets.mint(testCaller(1), { topics: ['run:1'] });
    const client = await ws(null, `?ticket=${ticket}`);
    expect(await client.command({ op: 'Subscribe', topics: ['run:1'] })).toMatchObject({ ok: true });
    expect(await client.command({ op: 'Subscribe', topics: ['run:2'] })).toMatchObject({ errorCode: 'FORBIDDEN' });
    const second = await ws(null, `?ticket=${ticket}`);
    expect((await second.closed).code).toBe(4010);
    const other = await server.streams.tickets.mint(testCaller(1));
    expect((await ioClient({ ticket: other.ticket })).socket.connected).toBe(true);
  });

  test('a revoked key closes its sockets, a lost permission drops the topic', async () => {
    await start();
    const revoked = await ws('key-1');
    const demoted = await ws('key-2');
    await demoted.command({ op: 'Subscribe', topics: ['run:7', 'runs'] });
    server.revoked.add('key-1');
    server.demoted.add(2);
    server.streams.recheck({ keyId: 1 });
    expect((await revoked.closed).code).toBe(4001);
    server.streams.recheck({ tenantId: 1 });
    const told = await demoted.replies.upTo(3);
    expect(told[2]).toMatchObject({ op: 'Unsubscribe', ok: false, errorCode: 'FORBIDDEN', topics: ['run:7'] });
    expect(server.streams.connections(1)).toMatchObject([{ topics: ['me', 'runs'] }]);
  });

  test('too many connections or commands are refused with 4029', async () => {
    await start({ limits: { perPrincipal: 1, commandBurst: 3, commandsPerSecond: 0.001 } });
    const first = await ws();
    await first.command({ op: 'Ping' });
    const second = await ws();
    expect((await second.closed).code).toBe(4029);
    const refused = await fetch(`${server.url}/api/events?topics=runs`, { headers: { authorization: 'Bearer key-1' } });
    expect(refused.status).toBe(429);
    for (let n = 0; n < 4; n++) first.socket.send('{"op":"Ping"}');
    expect((await first.closed).code).toBe(4029);
  });

  test.each(['websocket', 'polling'])('socket.io takes a key in x-api-key over %s', async (transport) => {
    await start();
    const client = await openIo(server.url, {}, transport, { 'x-api-key': 'key-1' });
    closing.push(() => client.socket.close());
    expect(await client.command({ op: 'Ping' })).toMatchObject({ op: 'Pong', ok: true });
  });

  test('a socket.io client that leaves over polling has its poll answered, though it does not say that it closes', async () => {
    await start();
    const ask = async (query: string, body?: string) => {
      const response = await fetch(`${server.url}/socket.io/?EIO=4&transport=polling${query}`, {
        ...(body && { method: 'POST', body }),
        signal: AbortSignal.timeout(60_000),
      });
      return response.text();
    };
    const { sid } = JSON.parse((await ask('')).slice(1));
    await ask(`&sid=${sid}`, '40{"token":"key-1"}');
    let heard = '';
    while (!heard.includes('"Hello"')) heard = await ask(`&sid=${sid}`);
    const poll = ask(`&sid=${sid}`);
    await ask(`&sid=${sid}`, '41');
    // Its transport closes; else the poll ends with the next ping.
    expect(await poll).toBe('1');
  });

  test('a connection follows so many topics and no more', async () => {
    await start({ limits: { subscriptionsPerConnection: 3 } });
    const client = await ws();
    expect(await client.command({ op: 'Subscribe', topics: ['run:1', 'run:2'] })).toMatchObject({ ok: true });
    const refused = await client.command({ op: 'Subscribe', topics: ['run:3'] });
    expect(refused).toMatchObject({ ok: false, errorCode: 'CONCURRENCY_LIMITED' });
    await client.command({ op: 'Unsubscribe', topics: ['run:1'] });
    expect(await client.command({ op: 'Subscribe', topics: ['run:3'] })).toMatchObject({ ok: true });
    const headers = { authorization: 'Bearer key-1' };
    expect((await fetch(`${server.url}/api/events?topics=run:1,run:2,run:3,runs`, { headers })).status).toBe(429);
  });

  test('who was let in by rights that changed meanwhile is sent away', async () => {
    let letIn = () => {};
    const admitted = new Promise<void>((resolve) => {
      letIn = resolve;
    });
    const enter = async () => {
      await admitted;
      return testCaller(3);
    };
    const refresh = () => Promise.reject(new Fault('TOKEN_REVOKED', 'This key was revoked.'));
    await start({ auth: { authenticate: enter, fromToken: enter, refresh } });
    const client = await ws('key-3');
    const heard = new Promise((resolve) => setImmediate(resolve));
    server.streams.recheck({});
    await heard;
    letIn();
    expect((await client.closed).code).toBe(4001);
  });

  test('draining sends everybody away with a way back', async () => {
    await start();
    const socket = await ws();
    const io = await ioClient({ token: 'key-1' });
    const response = await fetch(`${server.url}/api/events?topics=runs`, {
      headers: { authorization: 'Bearer key-1' },
    });
    const ended = response.text();
    const disconnected = new Promise((resolve) => io.socket.on('disconnect', resolve));
    server.streams.drain();
    expect((await socket.closed).code).toBe(1012);
    expect(await ended).toMatch(/^(:\n)?retry: \d+\nretry: \d+\n$/);
    expect(['transport close', 'transport error']).toContain(await disconnected);
    // It goes on trying, since a server that drains only hangs up.
    await new Promise<void>((resolve) => {
      let attempts = 0;
      io.socket.io.on('reconnect_attempt', () => ++attempts === 3 && resolve());
    });
    expect(io.socket.active).toBe(true);
    await expect(openWs(server.wsUrl, 'key-1')).rejects.toThrow('503');
  });
});
