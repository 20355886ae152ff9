// Clients that stop reading: they hold little, the others notice nothing, and when they read again they miss nothing.
import { get, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { adapters } from '../testing/adapters.ts';
import { openIo, openWs } from '../testing/clients.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

/** Bytes that may wait in this process for a client that does not read. */
const mostWaiting = 128 * 1024;
/** Bytes that a WebSocket's client which does not read is sent at all, so that the system need not hold more either. */
const mostUnread = 256 * 1024;
const text = 'x'.repeat(8192);

let server: TestServer;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await server.close();
});

interface Client {
  seen: number[];
  pause(): void;
  resume(): void;
}

async function webSocket(): Promise<Client> {
  const client = await openWs(server.wsUrl, 'key-1');
  closing.push(() => client.socket.terminate());
  const seen: number[] = [];
  client.events.push = (event) => void seen.push(event.data.n as number);
  await client.command({ op: 'Subscribe', topics: ['run:1'] });
  return { seen, pause: () => client.socket.pause(), resume: () => client.socket.resume() };
}

async function socketIo(): Promise<Client> {
  const client = await openIo(server.url, { token: 'key-1' }, 'websocket');
  closing.push(() => client.socket.close());
  const seen: number[] = [];
  client.events.push = (event) => void seen.push(event.data.n as number);
  await client.command({ op: 'Subscribe', topics: ['run:1'] });
  const raw = (client.socket.io.engine.transport as unknown as { ws: { pause(): void; resume(): void } }).ws;
  return { seen, pause: () => raw.pause(), resume: () => raw.resume() };
}

async function eventStream(): Promise<Client> {
  const url = `${server.url}/api/events?topics=run:1`;
  const response = await new Promise<IncomingMessage>((resolve) => {
    get(url, { headers: { authorization: 'Bearer key-1' }, agent: false }, resolve);
  });
  closing.push(() => response.destroy());
  response.setEncoding('utf8').on('error', () => undefined);
  const seen: number[] = [];
  let rest = '';
  response.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) seen.push(JSON.parse(line.slice(6)).data.n);
  });
  return { seen, pause: () => response.pause(), resume: () => response.resume() };
}

describe.each(adapters)('on $name', ({ adapter }) => {
  test('clients that stop reading cost little and miss nothing', async () => {
    // On a slow machine this may take longer than clients are waited for otherwise.
    server = await startTestServer(adapter, { limits: { stallMs: 600_000 } });
    const open = async () => [
      ...(await Promise.all([webSocket(), webSocket(), eventStream(), eventStream()])),
      await socketIo(),
    ];
    const stalled = await open();
    for (const client of stalled) client.pause();
    const readers = await open();
    const connections = () => server.streams.connections(1);
    const slow = () => connections().slice(0, stalled.length);
    let published = 0;
    // Until what the system holds for them is full too.
    while (slow().some(({ lagSeq }) => (lagSeq ?? 0) < 200)) {
      const batch = Array.from({ length: 50 }, () => ({ n: published++, text }));
      for (const data of batch)
        await server.streams.publisher.publish({ tenantId: 1, topics: ['run:1'], type: 'run.event', data });
      await expect
        .poll(() => readers.map(({ seen }) => seen.length), { timeout: 120_000 })
        .toEqual(readers.map(() => published));
      for (const { bufferedBytes } of connections()) expect(bufferedBytes).toBeLessThan(mostWaiting);
      for (const { transport, bytesOut } of slow())
        if (transport === 'WebSocket') expect(bytesOut).toBeLessThan(mostUnread);
    }
    const all = Array.from({ length: published }, (_, n) => n);
    for (const client of stalled) client.resume();
    await expect
      .poll(() => stalled.map(({ seen }) => seen.length), { timeout: 120_000 })
      .toEqual(stalled.map(() => published));
    for (const { seen } of [...stalled, ...readers]) expect(seen).toEqual(all);
  }, 300_000);
});
