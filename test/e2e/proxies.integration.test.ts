// The server behind nginx, HAProxy and Caddy, configured as docs/proxy.md says, with TLS; each is started by the test.
import { connect } from 'node:http2';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { ApiError, type Client, createClient, readSse } from '../../src/client/index.ts';
import { freePort } from '../support/child-server.ts';
import { clientIp, noProxy, proxyKinds, type ReverseProxy, startProxy } from '../support/proxies.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { adminKey, startTestServer, type TestServer } from '../support/test-server.ts';

const reasons = proxyKinds.map((kind) => ({ kind, reason: noProxy(kind) }));
for (const { kind, reason } of reasons)
  if (reason) console.info(`skipped: the server behind ${kind}, because ${reason}`);

const authorization = `Bearer ${adminKey}`;

describe.skipIf(reasons.every(({ reason }) => reason !== null))('behind a proxy', () => {
  let world: ServerWithModel;
  let other: TestServer;
  beforeAll(async () => {
    const trusting = { RIVULET_TRUSTED_PROXIES: '127.0.0.1' };
    // Its port stays when it starts again.
    world = await startServerWithModel({ ...trusting, RIVULET_PORT: String(await freePort()) });
    const own = { RIVULET_TRANSPORT: 'node', RIVULET_PORT: String(await freePort()) };
    other = await startTestServer({ ...trusting, ...own });
  });
  afterAll(async () => {
    await world?.close();
    await other?.close();
  });

  describe.each(reasons)('$kind', ({ kind, reason }) => {
    let proxy: ReverseProxy;
    let client: Client;
    beforeAll(async () => {
      if (reason !== null) return;
      proxy = await startProxy(kind, [world.server.port]);
      client = createClient({ baseUrl: proxy.url, token: adminKey, fetch: proxy.fetch });
    });
    afterAll(() => proxy?.close());
    const test = it.skipIf(reason !== null);

    test('shows pages over HTTP/2', async () => {
      const session = connect(proxy.url, { ...proxy.tls, ALPNProtocols: ['h2'] });
      const answer = session.request({ ':path': '/docs', ':authority': new URL(proxy.url).host });
      const status = new Promise((done) => answer.once('response', (headers) => done(headers[':status'])));
      let page = '';
      for await (const part of answer) page += part;
      session.close();
      expect(await status).toBe(200);
      expect(page).toContain('<title>');
    });

    test('says links that lead back to it, whatever the client claims', async () => {
      const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
      const read = async (path: string) => jsonOf(await proxy.fetch(proxy.url + path, { headers: forged }));
      expect((await read('/api/system/info')).data.realtimeUrl).toBe(`${proxy.url.replace('https', 'wss')}/api/ws`);
      expect((await read('/.well-known/oauth-authorization-server')).issuer).toBe(proxy.url);
    });

    test('tells the address of the client, whatever the client claims', async () => {
      const headers = { authorization, 'x-forwarded-for': '203.0.113.7', 'user-agent': `told by ${kind}` };
      const asked = await proxy.fetch(`${proxy.url}/api/ws/tickets`, { method: 'POST', headers });
      expect(asked.status).toBe(200);
      const { items } = await client.auditEvents.list({ query: { pageSize: 5 } });
      expect(items.find(({ userAgent }) => userAgent === headers['user-agent'])?.ip).toBe(clientIp);
    });

    // What a proxy leaves out of an upgrade is missed by one and not by the other.
    it.skipIf(reason !== null).each(['uws', 'node'])('carries a WebSocket of a server with %s', async (transport) => {
      const server = transport === 'node' ? other : world.server;
      const { tls, url, close } = await startProxy(kind, [server.port]);
      onTestFinished(close);
      const headers = { authorization, host: new URL(url).host };
      const socket = new WebSocket(`wss://127.0.0.1:${tls.port}/api/ws?topics=audit`, { ...tls, headers });
      const frames: { op?: string; type?: string }[] = [];
      socket.on('message', (data) => frames.push(JSON.parse(String(data))));
      await expect.poll(() => frames.map(({ op }) => op)).toEqual(['Hello', 'Ack']);
      await write(server.client);
      await expect.poll(() => frames.at(-1)?.type).toBe('audit.recorded');
      socket.terminate();
    });

    test('hands on each event as it comes', async () => {
      const events = await proxy.fetch(`${proxy.url}/api/events?topics=audit`, { headers: { authorization } });
      const heard = readSse(events)[Symbol.asyncIterator]();
      for (let n = 0; n < 3; n++) {
        await write(client);
        // The next one is made only when this one is here: a proxy that gathers them would gather for ever.
        expect(JSON.parse((await heard.next()).value.data).type).toBe('audit.recorded');
      }
      await heard.return?.(undefined);
    });

    test('hands on each word of a reply as it comes', async () => {
      const { model } = world;
      model.reply({ text: ['One', ' two', ' three'], stallAfter: 2 });
      const body = JSON.stringify({
        model: 'fake-model',
        stream: true,
        messages: [{ role: 'user', content: 'Count.' }],
      });
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await proxy.fetch(`${proxy.url}/v1/chat/completions`, { method: 'POST', headers, body });
      let said = '';
      for await (const { data } of readSse(answer)) {
        if (data === '[DONE]') break;
        said += JSON.parse(data).choices[0]?.delta.content ?? '';
        // The model says no more until its first words have come through.
        if (said === 'One') model.release();
      }
      expect(said).toBe('One two three');
    });

    test('takes an upload of several megabytes', async () => {
      const body = new FormData();
      body.set('file', new Blob([Buffer.alloc(8 << 20, kind)]), 'archive.bin');
      const answer = await proxy.fetch(`${proxy.url}/api/import/upload`, {
        ...{ method: 'POST', headers: { authorization }, body },
      });
      expect((await jsonOf(answer)).data).toMatchObject({ fileName: 'archive.bin', fileSizeBytes: 8 << 20 });
    });

    test('says that the server is away while it starts again, and reaches it afterwards', async () => {
      await world.server.restart(async () => {
        const error: unknown = await client.system.info().catch((thrown) => thrown);
        expect(error).toBeInstanceOf(ApiError);
        expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('proxy') });
      });
      await expect.poll(() => client.system.info().then(({ name }) => name, String)).toBe('Rivulet');
    });

    test('keeps a client that polls with socket.io at one of several servers', async () => {
      const asked = await checks(world.server);
      const balancer = await startProxy(kind, [world.server.port, other.port]);
      onTestFinished(balancer.close);
      const poll = `${balancer.url}/socket.io/?EIO=4&transport=polling`;
      const said = async (sid = '', body: string | null = null) => {
        const method = body === null ? 'GET' : 'POST';
        return (await balancer.fetch(`${poll}&sid=${sid}`, { method, body })).text();
      };
      // One that asks its servers whether they are ready knows of none at first.
      if (kind !== 'nginx') await expect.poll(() => checks(world.server), { interval: 200 }).toBeGreaterThan(asked);
      let opening = '';
      await expect.poll(async () => (opening = await (await balancer.fetch(poll)).text())).toMatch(/^0\{/);
      const { sid } = JSON.parse(opening.slice(1));
      expect(await said(sid, `40${JSON.stringify({ token: adminKey })}`)).toBe('ok');
      expect(await said(sid)).toMatch(/^40\{"sid"/);
      expect(await said(sid, '42["command",{"op":"Ping","id":"1"}]')).toBe('ok');
      expect(await said(sid)).toContain('"op":"Pong"');
    });

    test('takes the other server where the one that a client has is stopped', async () => {
      for (const server of [world.server, other]) {
        // Each time a new one, which holds nothing against the server that was stopped before.
        const balancer = await startProxy(kind, [world.server.port, other.port]);
        onTestFinished(balancer.close);
        const through = createClient({ baseUrl: balancer.url, token: adminKey, fetch: balancer.fetch });
        // Caddy up to 2.11.1 has closed the body of a write by the time it takes the other server.
        const ask = kind === 'caddy' ? through.system.info : () => write(through);
        const answered = () => ask().then(() => 'answered', String);
        await expect.poll(answered).toBe('answered');
        const results: string[] = [];
        await server.restart(async () => {
          for (let at = 0; at < 5; at++) results.push(await answered());
        });
        expect(results).toEqual(Array.from({ length: 5 }, () => 'answered'));
      }
    });
  });
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
const jsonOf = (answer: Response): Promise<any> => answer.json();

/** How often a server was asked whether it is ready, and was. */
async function checks(server: TestServer): Promise<number> {
  const { body } = await server.call('GET', '/metrics');
  const line = String(body)
    .split('\n')
    .find((one) => /^rivulet_http_request_seconds_count.*\/ready".*"200"/.test(one));
  return Number(line?.split(' ').at(-1) ?? 0);
}

/** A write that the audit log tells of. */
const write = (client: Client) => client.webSocket.ticket({ body: {} });
