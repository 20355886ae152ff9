import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type FakeServer, startFakeServer } from '../../../test/support/fake-event-server.ts';
import { createClient } from '../client.ts';
import type { ConnectionState } from './events.ts';
import type { WebSocketConstructor } from './link.ts';

let server: FakeServer;
beforeAll(async () => {
  server = await startFakeServer();
});
afterAll(() => server.close());

let topicCount = 0;
const freshTopics = (count: number) => Array.from({ length: count }, () => `run:${++topicCount}`);
const makeClient = () =>
  createClient({
    baseUrl: server.url,
    token: 'rvt_test',
    WebSocket: WebSocket as unknown as WebSocketConstructor,
    retry: { minMs: 1, maxMs: 4 },
  });

/** Steps of a story: publish so many events to a topic, cut every connection, or let the event loop turn. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ publish: fc.integer({ min: 1, max: 20 }), topic: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.constant('cut' as const) },
  { weight: 3, arbitrary: fc.constant('turn' as const) },
);

describe.each(['sse', 'ws'] as const)('a stream over %s', (transport) => {
  it('hands out each event once and in order, however often the connection is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (story) => {
        const topics = freshTopics(3);
        const sent: string[] = [];
        const got: string[] = [];
        const stream = makeClient().stream(topics, { transport, cursor: '0' });
        const publish = (topic: string) => {
          const n = sent.length;
          sent.push(`${topic} ${n}`);
          server.publish(topic, { n });
        };
        const reading = (async () => {
          for await (const event of stream) {
            expect(event.type).not.toBe('stream.gap');
            if ('last' in event.data) break;
            got.push(`${event.topic} ${(event.data as unknown as { n: number }).n}`);
          }
        })();
        for (const one of story) {
          if (one === 'cut') server.cut();
          else if (one === 'turn') await new Promise((resolve) => setImmediate(resolve));
          else for (let i = 0; i < one.publish; i++) publish(topics[one.topic] ?? '');
        }
        server.cut();
        for (const topic of topics) publish(topic);
        // The end is told only when all else has come, since topics are ordered each for itself.
        while (got.length < sent.length) await new Promise((resolve) => setImmediate(resolve));
        server.publish(topics[0] ?? '', { last: true });
        await reading;
        for (const topic of topics) {
          const of = (list: string[]) => list.filter((text) => text.startsWith(`${topic} `));
          expect(of(got)).toEqual(of(sent));
        }
      }),
      { numRuns: 25 },
    );
  });

  it('goes on from the cursor of an earlier stream', async () => {
    const [topic = ''] = freshTopics(1);
    for (let n = 0; n < 5; n++) server.publish(topic, { n });
    const client = makeClient();
    const first = client.stream(topic, { transport, cursor: '0' });
    for await (const event of first) if (event.seq === 3) break;
    expect(first.cursor).toBe(`${topic}=e1.3`);
    const seqs: number[] = [];
    for await (const event of client.stream(topic, { transport, cursor: first.cursor })) {
      seqs.push(event.seq);
      if (event.seq === 5) break;
    }
    expect(seqs).toEqual([4, 5]);
  });

  it('tells of a gap when events before the cursor are no longer kept, then goes on with what is', async () => {
    const [topic = ''] = freshTopics(1);
    for (let n = 0; n < 6; n++) server.publish(topic, { n });
    server.trim(topic, 5);
    const seen: unknown[] = [];
    for await (const event of makeClient().stream(topic, { transport, cursor: 'e1.1' })) {
      seen.push(event.type === 'stream.gap' ? { gap: [event.data.requestedSeq, event.data.oldestSeq] } : event.seq);
      if (event.seq === 6) break;
    }
    expect(seen).toEqual([{ gap: [1, 5] }, 5, 6]);
  });

  it('tells of a gap when the server has another history than the one followed', async () => {
    const [topic = ''] = freshTopics(1);
    server.publish(topic, { n: 1 });
    const types: string[] = [];
    for await (const event of makeClient().stream(topic, { transport, cursor: '0' })) {
      types.push(event.type);
      if (types.length === 1) {
        server.reset(topic);
        server.cut();
        server.publish(topic, { n: 2 });
      }
      if (types.length === 3) break;
    }
    expect(types).toEqual(['test', 'stream.gap', 'test']);
  });

  it('begins with the last seconds where they are asked for, once', async () => {
    const [topic = '', other = ''] = freshTopics(2);
    for (const one of [topic, other]) server.publish(one, { n: 1 });
    const seen: string[] = [];
    const said: (() => void)[] = [];
    const listener = {
      onEvent: (event: { topic: string; seq: number }) => {
        seen.push(`${event.topic} ${event.seq}`);
        said.shift()?.();
      },
    };
    const next = () => new Promise<void>((resolve) => said.push(resolve));
    const live = makeClient().live({ transport });
    const first = next();
    live.subscribe(topic, listener, null, 5);
    await first;
    const live2 = next();
    server.cut();
    server.publish(topic, { n: 2 });
    await live2;
    const last = next();
    live.subscribe(other, { onEvent: listener.onEvent, onFollowed: () => server.publish(other, { n: 2 }) });
    await last;
    expect(seen).toEqual([`${topic} 1`, `${topic} 2`, `${other} 2`]);
    live.close();
  });

  it('lets go of the connection when it is stopped', async () => {
    const [topic = ''] = freshTopics(1);
    const abort = new AbortController();
    const stream = makeClient().stream(topic, { transport, cursor: '0', signal: abort.signal });
    server.publish(topic, { n: 1 });
    for await (const event of stream) if (event.seq === 1) abort.abort();
    expect(stream.state.phase).toBe('closed');
    while (server.connections > 0) await new Promise((resolve) => setImmediate(resolve));
  });
});

it('throws the refusal of a topic that the caller may not follow', async () => {
  const reading = (async () => {
    for await (const _ of makeClient().stream('forbidden', { transport: 'ws' }));
  })();
  await expect(reading).rejects.toMatchObject({ name: 'ApiError', code: 'FORBIDDEN' });
});

it('asks again for what a server without its database did not serve, and says meanwhile that it is offline', async () => {
  const topics = freshTopics(2);
  const [first = '', other = ''] = topics;
  for (const topic of topics) server.publish(topic, { n: 1 });
  server.refuse(3);
  const phases: (string | null)[] = [];
  const onState = ({ phase, reason }: ConnectionState) => void phases.push(phase, reason);
  const seen: string[] = [];
  const stream = makeClient().stream(topics, { transport: 'ws', cursor: '0', onState });
  for await (const { topic } of stream) {
    seen.push(topic);
    if (seen.length === 2) break;
  }
  expect(seen.sort()).toEqual([first, other].sort());
  expect(phases).toEqual(expect.arrayContaining(['offline', 'The database does not answer.']));
  expect(stream.state.phase).toBe('closed');
});

it('says so when nothing was seen before the first cut, since events may be lost', async () => {
  const [topic = ''] = freshTopics(1);
  const stream = makeClient().stream(topic, { transport: 'ws' });
  const first = stream[Symbol.asyncIterator]().next();
  while (stream.state.phase !== 'live') await new Promise((resolve) => setImmediate(resolve));
  server.cut();
  expect((await first).value).toMatchObject({ type: 'stream.gap', topic });
  stream.close();
});

it('over WebSocket is refused at once where there is none, and falls back unless that is asked for', () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');
  Object.defineProperty(globalThis, 'WebSocket', { value: undefined, configurable: true });
  try {
    const client = createClient({ baseUrl: server.url });
    expect(() => client.stream('run:1', { transport: 'ws' })).toThrow('There is no WebSocket here');
    const stream = client.stream('run:1');
    expect(stream.state.transport).toBe('sse');
    stream.close();
  } finally {
    if (own) Object.defineProperty(globalThis, 'WebSocket', own);
    else Reflect.deleteProperty(globalThis, 'WebSocket');
  }
});

it('falls back to server-sent events where WebSockets do not open', async () => {
  const [topic = ''] = freshTopics(1);
  class Blocked {
    binaryType = 'blob';
    onclose: ((event: { code: number; reason: string }) => void) | null = null;
    onopen = null;
    onmessage = null;
    onerror = null;
    constructor() {
      setImmediate(() => this.onclose?.({ code: 1006, reason: 'blocked by a proxy' }));
    }
    send() {}
    close() {}
  }
  const client = createClient({
    baseUrl: server.url,
    WebSocket: Blocked as unknown as WebSocketConstructor,
    retry: { minMs: 1, maxMs: 2 },
  });
  server.publish(topic, { n: 1 });
  const stream = client.stream(topic, { cursor: '0' });
  for await (const event of stream) {
    expect(event.seq).toBe(1);
    expect(stream.state.transport).toBe('sse');
    break;
  }
});
