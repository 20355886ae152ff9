// Every kind of connector, led to this machine by every way to write its address: nothing connects, and no secret is told.
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { bare, outgoingKinds } from './scenes/outgoing-kinds.ts';

let server: TestServer;
let inside: Server;
let port: number;
let connections = 0;
/** All that was answered, for the search for secrets. */
const answers: string[] = [];
beforeAll(async () => {
  inside = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((done) => inside.listen(0, '127.0.0.1', done));
  port = (inside.address() as AddressInfo).port;
  server = await startTestServer();
});
afterAll(async () => {
  inside.close();
  await server.close();
});

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await server.call(method, `/api${path}`, body);
  answers.push(JSON.stringify(answer.body));
  return answer.body;
};

/** Ways to write this machine's address, and one that clouds have. */
const hosts = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f.0.0.1', '017700000001', '0.0.0.0', 'localhost'],
  ...['[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '169.254.169.254', '[::ffff:169.254.169.254]'],
];
const kinds = outgoingKinds(call, () => port);

it.each(Object.keys(kinds))('%s', async (kind) => {
  const [make, go] = kinds[kind] as (typeof kinds)[string];
  let made = 0;
  for (const host of hosts) {
    const body = { type: kind, name: `${kind} at ${bare(host)}`.replace(/[^\w. ]/g, '-'), ...make(host) };
    const { data, errorCode } = await call('POST', '/connectors', body);
    // Some are refused as soon as they are written down.
    if (!data) expect([host, errorCode]).toEqual([host, 'VALIDATION_FAILED']);
    else {
      made++;
      expect([host, JSON.stringify(await go(data.id))]).toEqual([host, expect.stringMatching(/may not be reached/)]);
      await call('POST', `/connectors/${data.id}/verify`, { timeoutMs: 5000 });
    }
    expect([host, connections]).toEqual([host, 0]);
  }
  expect(made).toBeGreaterThan(6);
});

it('tells no secret of any of them, wherever one looks', async () => {
  for (const path of ['/connectors?pageSize=200', '/audit-events?pageSize=200', '/system-logs?pageSize=200', '/events'])
    await call('GET', path);
  expect(answers.length).toBeGreaterThan(100);
  expect(answers.join('\n')).not.toMatch(/planted-(?!client)/);
});
