// Receivers of webhooks that are slow, down, lying, or lead inwards: each delivery ends as docs/webhooks.md promises.
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookDeliveryDto } from '../../src/client/index.ts';
import { freePort } from '../support/child-server.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const patience = { timeout: 30_000, interval: 20 };
const head = 'HTTP/1.1 200 OK\r\n';
const tick = 50;

/** Does something again and again until the other side has gone. */
function again(socket: Socket, work: () => void): void {
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : work()), tick);
  socket.once('close', () => clearInterval(timer));
}

/** Writes as fast as it is taken, for ever. */
function flood(socket: Socket, text: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(text));
    if (!socket.destroyed) socket.once('drain', more);
  };
  more();
}

/** Where an answer says to go instead, and whether anybody went. */
let inside: Server;
let insideUrl = '';
let visits = 0;

interface Lie {
  answer(socket: Socket): void;
  status: 'Delivered' | 'Retrying';
  says: RegExp | null;
  code: number | null;
}

const tried = (says: RegExp, code: number | null = null) => ({ status: 'Retrying', says, code }) as const;
const redirect = (status: number, to: () => string) => (socket: Socket) =>
  void socket.end(`HTTP/1.1 ${status} Moved\r\nLocation: ${to()}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);

const receivers: Record<string, Lie> = {
  // Slow.
  'is silent': { answer: () => {}, ...tried(/No whole answer within 1000 ms/) },
  'drips its head': {
    answer: (socket) => {
      socket.write(head);
      again(socket, () => socket.write('X-A: b\r\n'));
    },
    ...tried(/No whole answer within 1000 ms/),
  },
  'drips its body': {
    answer: (socket) => {
      socket.write(`${head}Content-Length: 1000\r\n\r\n`);
      again(socket, () => socket.write('x'));
    },
    ...tried(/No whole answer within 1000 ms/, 200),
  },
  'says to wait and never answers': {
    answer: (socket) => again(socket, () => socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')),
    ...tried(/No whole answer within 1000 ms/),
  },
  // Down.
  'hangs up': { answer: (socket) => void socket.destroy(), ...tried(/could not be reached/) },
  resets: { answer: (socket) => void socket.resetAndDestroy(), ...tried(/could not be reached/) },
  'is out of order': {
    answer: (socket) => void socket.end('HTTP/1.1 503 Later\r\nRetry-After: 90\r\nContent-Length: 5\r\n\r\nlater'),
    ...tried(/answered 503/, 503),
  },
  // Lying.
  'answers without end': {
    answer: (socket) => {
      socket.write(`${head}\r\n`);
      flood(socket, 'x'.repeat(65_536));
    },
    ...{ status: 'Delivered', says: null, code: 200 },
  },
  'announces more than it sends': {
    answer: (socket) => void socket.end(`${head}Content-Length: 1000\r\n\r\nhalf`),
    ...tried(/cut off before its end/, 200),
  },
  'sends more than it announces': {
    answer: (socket) => void socket.end(`${head}Content-Length: 4\r\n\r\nwell${'x'.repeat(5000)}`),
    ...{ status: 'Delivered', says: null, code: 200 },
  },
  'breaks off a chunk': {
    answer: (socket) => void socket.end(`${head}Transfer-Encoding: chunked\r\n\r\nff\r\nshort`),
    ...tried(/cut off before its end/, 200),
  },
  'has huge headers': {
    answer: (socket) => void socket.end(`${head}X-Long: ${'x'.repeat(1_000_000)}\r\n\r\n`),
    ...tried(/could not be reached: HPE_HEADER_OVERFLOW/),
  },
  'has headers without end': {
    answer: (socket) => {
      socket.write(head);
      flood(socket, `X-More: ${'x'.repeat(1000)}\r\n`);
    },
    ...tried(/could not be reached/),
  },
  'speaks something else': {
    answer: (socket) => void socket.end('SSH-2.0-OpenSSH_9.9\r\n'),
    ...tried(/could not be reached/),
  },
  'announces two lengths': {
    answer: (socket) => void socket.end(`${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc`),
    ...tried(/could not be reached/),
  },
  // Leading inwards.
  'leads to a cloud': {
    answer: redirect(302, () => 'http://169.254.169.254/'),
    ...tried(/302; redirects are not/, 302),
  },
  'leads inwards with the body': { answer: redirect(307, () => insideUrl), ...tried(/307; redirects are not/, 307) },
  'leads inwards for good': { answer: redirect(308, () => insideUrl), ...tried(/308; redirects are not/, 308) },
};

const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
};

let server: TestServer;
const servers = new Map<string, { listener: Server; url: string; sockets: Set<Socket> }>();
beforeAll(async () => {
  inside = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  insideUrl = await listening(inside);
  for (const [name, { answer }] of Object.entries(receivers)) {
    const sockets = new Set<Socket>();
    const listener = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {}).once('data', () => answer(socket));
    });
    servers.set(name, { listener, url: await listening(listener), sockets });
  }
  server = await startTestServer();
});
afterAll(async () => {
  await server?.close();
  for (const { listener, sockets } of servers.values()) {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => listener.close(done));
  }
  await new Promise((done) => inside.close(done));
});

async function delivered(url: string): Promise<WebhookDeliveryDto> {
  const { webhooks } = server.client;
  const { webhook } = await webhooks.create({ body: { name: url, url, eventTypes: ['x.y'], timeoutMs: 1000 } });
  const params = { id: webhook.id };
  await webhooks.send({ params, body: {} });
  const list = async () => (await webhooks.listDeliveries({ params, query: {} })).items;
  await expect
    .poll(async () => (await list()).map(({ status }) => status === 'Delivered' || status === 'Retrying'), patience)
    .toEqual([true]);
  const [one] = await list();
  await webhooks.remove({ params });
  return one as WebhookDeliveryDto;
}

describe('a receiver that', () => {
  it.each(Object.keys(receivers))('%s', async (name) => {
    const { status, says, code } = receivers[name] as Lie;
    const one = await delivered(servers.get(name)?.url ?? '');
    expect(one).toMatchObject({ status, attempt: 1, responseStatus: code });
    if (says) expect(one.error).toMatch(says);
    else expect(one.error).toBeNull();
    expect((one.responseExcerpt ?? '').length).toBeLessThanOrEqual(1000);
    // What is tried again is tried later; where the receiver asks for longer, after that.
    const wait = Date.parse(one.nextAttemptAtUtc ?? '') - Date.parse(one.createdAtUtc);
    if (status === 'Retrying') expect(wait).toBeGreaterThan(name === 'is out of order' ? 89_000 : 4000);
    // The connection of an answer that was not whole is not kept for another one.
    const { sockets } = servers.get(name) as { sockets: Set<Socket> };
    if (says && code === null)
      await expect.poll(() => [...sockets].every(({ destroyed }) => destroyed), patience).toBe(true);
  });

  it('is not there at all', async () => {
    const one = await delivered(`http://127.0.0.1:${await freePort()}/`);
    expect(one).toMatchObject({
      status: 'Retrying',
      responseStatus: null,
      error: expect.stringMatching(/ECONNREFUSED/),
    });
  });

  it('has no address', async () => {
    const one = await delivered('http://nowhere.invalid/');
    expect(one).toMatchObject({
      status: 'Retrying',
      responseStatus: null,
      error: expect.stringMatching(/reached|resolve/),
    });
  });
});

it('follows nobody inwards', () => {
  expect(visits).toBe(0);
});

it.each([
  'http://169.254.169.254/latest/meta-data',
  'http://[fe80::1]/',
  'http://[::ffff:169.254.169.254]/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://user:password@example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
])('takes no webhook to %s', async (url) => {
  const { status } = await server.call('POST', '/api/webhooks', { name: 'x', url, eventTypes: ['*'] });
  expect(status).toBe(400);
});
