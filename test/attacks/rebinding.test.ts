// Names that lead somewhere else at their second look-up: whatever goes out connects to the address that was judged, or not at all.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { outgoingKinds } from './scenes/outgoing-kinds.ts';

/** Where the operator lets connectors go, and where nobody lets them. */
const [allowed, metadata] = ['127.0.0.1', '169.254.169.254'];
const systems = { lookup: dns.lookup, resolve4: dns.resolve4, resolve6: dns.resolve6 };
const asked = new Map<string, number>();
let server: TestServer;
let other: Server;
let port: number;
let connections = 0;

/** The first answer for a name is fine, each later one is the metadata service. */
const address = (name: string) => {
  asked.set(name, (asked.get(name) ?? 0) + 1);
  return asked.get(name) === 1 ? allowed : metadata;
};
beforeAll(async () => {
  Object.assign(dns, {
    lookup: (name: string, options: { all?: boolean }, done: (...found: unknown[]) => void) => {
      if (!name.endsWith('.rebound.test')) return systems.lookup(name, options as never, done as never);
      const found = address(name);
      if (options.all) done(null, [{ address: found, family: 4 }]);
      else done(null, found, 4);
    },
    resolve4: (name: string, ...rest: unknown[]) =>
      (rest.at(-1) as (...found: unknown[]) => void)(null, [address(name)]),
    resolve6: (_name: string, ...rest: unknown[]) => (rest.at(-1) as (...found: unknown[]) => void)(null, []),
  });
  syncBuiltinESMExports();
  other = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  port = (other.address() as AddressInfo).port;
  server = await startTestServer({ RIVULET_PRIVATE_CONNECTORS: 'operator' });
});
afterAll(async () => {
  await server.close();
  other.close();
  Object.assign(dns, systems);
  syncBuiltinESMExports();
});

const call = async (method: string, path: string, body?: unknown) =>
  (await server.call(method, `/api${path}`, body)).body;
const connectors = Object.entries(outgoingKinds(call, () => port)).map(([kind, [make, go]]) => {
  const made = async (host: string) => {
    const body = { type: kind, name: kind, ...make(host) };
    const { data } = await call('POST', '/connectors', body);
    return () => go(data.id);
  };
  return [kind, made] as const;
});
const channel = async (host: string) => {
  const body = { name: 'Rebound', kind: 'Webhook', url: `http://${host}:${port}/hook` };
  const { data } = await call('POST', '/channels', body);
  return () => call('POST', `/channels/${data.id}/test`, {});
};
const sender = async (host: string) => {
  const smtp = { smtpHost: host, smtpPort: `${port}`, smtpSecurity: 'none', username: 'amy', password: 'planted-04' };
  const body = { type: 'Email', name: 'Sender', authMethod: 'Basic', credentials: JSON.stringify(smtp) };
  const { data } = await call('POST', '/connectors', body);
  return () => call('POST', `/email/${data.id}/test`, { sendTo: 'amy@example.com' });
};
const webhook = async (host: string) => {
  const body = { name: 'Rebound', url: `http://${host}:${port}/hook`, eventTypes: ['none.*'] };
  const { id } = (await call('POST', '/webhooks', body)).data.webhook;
  return async () => {
    await call('POST', `/webhooks/${id}/deliveries`, {});
    const newest = async () => (await call('GET', `/webhooks/${id}/deliveries`)).data.items[0];
    await expect.poll(async () => (await newest()).error).not.toBeNull();
    return newest();
  };
};
const provider = async (host: string) => {
  const body = {
    name: 'Rebound',
    kind: 'OpenAiCompatible',
    baseUrl: `http://${host}:${port}/v1`,
    apiKey: 'sk-planted',
  };
  const { data } = await call('POST', '/ai-router/providers', body);
  return () => call('POST', `/ai-router/providers/${data.id}/test`, {});
};

it.each([
  ...connectors,
  ['a mail that is sent', sender],
  ['a channel', channel],
  ['a webhook', webhook],
  ['a model provider', provider],
] as const)('%s', async (kind, make) => {
  const host = `${kind.toLowerCase().replaceAll(/[^a-z]/g, '-')}.rebound.test`;
  const go = await make(host);
  const before = connections;
  await go();
  // A name that is judged and then looked up by whoever connects would have led to the second address.
  expect(connections).toBeGreaterThan(before);
  const once = connections;
  expect(JSON.stringify(await go())).toMatch(/may not be reached/);
  expect(connections).toBe(once);
  expect(asked.get(host)).toBeGreaterThan(1);
});
