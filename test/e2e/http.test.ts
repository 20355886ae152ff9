// The HTTP face end to end, on both transports: envelopes, methods, headers, limits, idempotency, keys, tickets.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { request, startTestServer, type TestServer, transports } from '../support/test-server.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const unknownRun = '/api/agent/runs/999999';
const origin = 'https://desk.example';

describe.each(transports)('http on %s', (transport) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ RIVULET_TRANSPORT: transport, RIVULET_CORS_ORIGINS: origin });
  });
  afterAll(() => server.close());

  const newRun = async () => (await server.call('POST', '/api/agent/runs', { goal: 'Wait.' })).body.data.id as number;

  describe('envelope', () => {
    it('has every field on success, with a count for lists only', async () => {
      const { status, body, headers } = await server.call('GET', '/api/agent/runs');
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(body).toEqual({
        ok: true,
        requestId: headers.get('x-request-id'),
        data: expect.objectContaining({ items: expect.any(Array), page: 1, pageSize: 50 }),
        error: null,
        errorCode: null,
        count: body.data.items.length,
        hint: null,
        unreadMessages: expect.any(Number),
      });
      expect((await server.call('GET', '/api/system/info')).body.count).toBeNull();
    });

    it('has every field on failure', async () => {
      const { body, headers } = await failure(server.call('GET', unknownRun), 404, 'NOT_FOUND', /999999/);
      expect(Object.keys(body).sort()).toEqual(
        ['count', 'data', 'error', 'errorCode', 'hint', 'ok', 'requestId', 'unreadMessages'].sort(),
      );
      expect(body.requestId).toBe(headers.get('x-request-id'));
    });

    it('is problem+json for those who ask for it', async () => {
      const { status, body, headers } = await server.call('GET', unknownRun, undefined, {
        accept: 'application/problem+json',
      });
      expect(status).toBe(404);
      expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(body).toMatchObject({ status: 404, code: 'NOT_FOUND', instance: unknownRun });
      expect(body.detail).toMatch(/./);
    });

    it('keeps a sane request id, and makes one otherwise', async () => {
      const id = async (given: string) =>
        (await server.call('GET', '/api/system/info', undefined, { 'x-request-id': given })).headers.get(
          'x-request-id',
        );
      expect(await id('trace:12345678')).toBe('trace:12345678');
      for (const bad of ['short', 'has spaces in it', 'x'.repeat(101), '<script>alert(1)</script>'])
        expect(await id(bad)).toMatch(uuid);
    });

    it('carries headers that keep browsers from guessing, framing and caching', async () => {
      for (const path of ['/api/agent/runs', unknownRun, '/api/system/info', '/api/system/metrics']) {
        const { headers } = await server.call('GET', path);
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('x-frame-options')).toBe('DENY');
        expect(headers.get('referrer-policy')).toBe('no-referrer');
        expect(headers.get('cache-control')).toBe('no-store');
      }
    });
  });

  describe('methods', () => {
    it('answers HEAD like GET, without the body', async () => {
      const get = await server.call('GET', '/api/system/info');
      const head = await server.call('HEAD', '/api/system/info');
      expect(head.status).toBe(200);
      expect(head.body).toBe('');
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
      expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100);
      expect((await server.call('HEAD', unknownRun)).status).toBe(404);
      expect((await server.call('HEAD', '/api/system/metrics')).status).toBe(200);
    });

    it('leaves no stream behind a HEAD', async () => {
      const head = await server.call('HEAD', '/api/events?topics=runs');
      expect(head.status).toBe(200);
      expect(head.headers.get('content-type')).toMatch(/^text\/event-stream/);
      const { body } = await server.call('GET', '/api/ws/connections?transport=Sse');
      expect(body.data.items).toEqual([]);
    });

    it('answers OPTIONS with what a path allows', async () => {
      const { status, headers } = await server.call('OPTIONS', '/api/agent/runs/1');
      expect(status).toBe(204);
      expect(new Set(headers.get('allow')?.split(', '))).toEqual(
        new Set(['GET', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']),
      );
      await failure(server.call('OPTIONS', '/api/nowhere'), 404, 'ROUTE_NOT_FOUND');
    });

    it('answers other methods with 405 and what is allowed', async () => {
      for (const method of ['PUT', 'POST', 'PROPFIND']) {
        const { headers } = await failure(server.call(method, '/api/agent/runs/1'), 405, 'METHOD_NOT_ALLOWED', /PATCH/);
        expect(headers.get('allow')).toMatch(/GET/);
      }
    });
  });

  describe('paths and queries', () => {
    it('judges path parameters', async () => {
      await failure(server.call('GET', '/api/agent/runs/0'), 404, 'NOT_FOUND');
      await failure(server.call('GET', '/api/agent/runs/9007199254740993'), 400, 'VALIDATION_FAILED', /id/);
      for (const bad of ['-1', '1.5', '1e3', '%31x', '0x10', 'abc', '', '%00', '12345678901234567890123', '..%2f..'])
        await failure(server.call('GET', `/api/agent/runs/${bad}`), 404, 'ROUTE_NOT_FOUND');
      await failure(server.call('GET', '/api/agent/role-definitions/by-name/%ff%fe'), 400, 'BAD_REQUEST', /percent/);
      await failure(server.call('GET', '/api/agent/role-definitions/by-name/a%00b'), 400, 'VALIDATION_FAILED', /NUL/);
      await failure(
        server.call('GET', `/api/agent/role-definitions/by-name/${'x'.repeat(501)}`),
        400,
        'VALIDATION_FAILED',
      );
      await failure(server.call('GET', '/api/agent/role-definitions/by-name/no%20such%2Frole'), 404, 'NOT_FOUND');
    });

    it('names what is wrong with a query', async () => {
      const bad = (query: string, about: RegExp) =>
        failure(server.call('GET', `/api/agent/runs?${query}`), 400, 'VALIDATION_FAILED', about);
      await bad('nonsense=1', /nonsense/);
      await bad('page=0', /page/);
      await bad('page=1&page=2', /page/);
      await bad('pageSize=201', /pageSize/);
      await bad('page=NaN', /page/);
      await bad('status=Nope', /status/);
      await bad('sort=password', /sort/);
      await bad('__proto__=1', /__proto__/);
      await bad('fromUtc=yesterday', /fromUtc/);
      await failure(server.call('GET', '/api/system/info?a=1&b=2'), 400, 'VALIDATION_FAILED', /a, b/);
      await failure(server.call('GET', '/api/system/info?&'), 400, 'VALIDATION_FAILED', /no query/);
      expect((await server.call('GET', '/api/agent/runs?page=99999')).body.data).toMatchObject({
        items: [],
        page: 99999,
      });
      expect((await server.call('GET', '/api/agent/runs?status=Pending,Running&status=Failed')).status).toBe(200);
    });
  });

  describe('bodies', () => {
    const post = (body: unknown, headers: Record<string, string> = {}) =>
      server.call('POST', '/api/agent/runs', body, headers);

    it('names every wrong field', async () => {
      const { body } = await failure(
        post({ goal: '', maxIterations: 0, role: 7, extra: true }),
        400,
        'VALIDATION_FAILED',
      );
      for (const field of ['goal', 'maxIterations', 'role', 'extra']) expect(body.error).toContain(field);
    });

    it('refuses what is no JSON, no UTF-8, no object or another type', async () => {
      await failure(post('{"goal":'), 400, 'BAD_REQUEST', /JSON/);
      await failure(post('null'), 400, 'VALIDATION_FAILED');
      await failure(post('[]'), 400, 'VALIDATION_FAILED');
      await failure(post(undefined), 400, 'VALIDATION_FAILED');
      await failure(post('{"goal":"x","__proto__":{"a":1}}'), 400, 'VALIDATION_FAILED', /__proto__/);
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'json'])
        await failure(
          post({ goal: 'x' }, { 'content-type': type }),
          415,
          'UNSUPPORTED_MEDIA_TYPE',
          /application\/json/,
        );
      const broken = await fetch(`${server.url}/api/agent/runs`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
        body: Buffer.concat([Buffer.from('{"goal":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
      });
      expect(broken.status).toBe(400);
      expect(await broken.json()).toMatchObject({ errorCode: 'BAD_REQUEST', hint: expect.stringMatching(/UTF-8/) });
    });

    it('takes JSON under any of its names', async () => {
      for (const type of ['application/json', 'APPLICATION/JSON; charset=utf-8', 'application/merge-patch+json'])
        expect((await post({ goal: 'x' }, { 'content-type': type })).status).toBe(200);
    });

    it('refuses bodies that are too large, and bodies where there is none', async () => {
      await failure(post({ goal: 'x'.repeat(1 << 20) }), 413, 'PAYLOAD_TOO_LARGE', /1048576/);
      await failure(server.call('DELETE', unknownRun, { a: 1 }), 400, 'VALIDATION_FAILED', /no body/);
      await failure(server.call('POST', `${unknownRun}/start`, { nonsense: 1 }), 400, 'VALIDATION_FAILED', /nonsense/);
    });
  });

  describe('Idempotency-Key', () => {
    const create = (key: string, goal: string) =>
      server.call('POST', '/api/agent/runs', { goal }, { 'idempotency-key': key });
    const count = async (goal: string) =>
      (await server.call('GET', `/api/agent/runs?q=${goal}`)).body.data.totalCount as number;

    it('carries a request out once and answers it alike', async () => {
      const first = await create('key-1', 'once-only');
      const second = await create('key-1', 'once-only');
      expect(first.headers.get('idempotency-replayed')).toBeNull();
      expect(second.headers.get('idempotency-replayed')).toBe('true');
      expect(second.body).toEqual(first.body);
      expect(await count('once-only')).toBe(1);
    });

    it('refuses another request with the same key, and keys that cannot be used', async () => {
      await create('key-2', 'mismatch-a');
      await failure(create('key-2', 'mismatch-b'), 409, 'IDEMPOTENCY_MISMATCH');
      await failure(create('x'.repeat(201), 'too-long'), 400, 'BAD_REQUEST', /Idempotency-Key/);
      await failure(create('has space', 'spaced'), 400, 'BAD_REQUEST', /Idempotency-Key/);
    });

    it('makes one run of many requests at once', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => create('key-3', 'at-the-same-time')));
      expect(await count('at-the-same-time')).toBe(1);
      for (const { status, body, headers } of answers) {
        if (status === 200) continue;
        expect(body.errorCode).toBe('CONFLICT');
        expect(headers.get('retry-after')).toBe('1');
      }
      expect(
        answers.filter(({ status, headers }) => status === 200 && !headers.get('idempotency-replayed')),
      ).toHaveLength(1);
    });

    it('lets go of the key when the request fails', async () => {
      const start = (id: number) =>
        server.call('POST', `/api/agent/runs/${id}/cancel`, {}, { 'idempotency-key': 'key-4' });
      await failure(start(999_999), 404, 'NOT_FOUND');
      await failure(start(999_999), 404, 'NOT_FOUND');
      const id = await newRun();
      expect((await start(id)).status).toBe(200);
      expect((await start(id)).headers.get('idempotency-replayed')).toBe('true');
    });
  });

  describe('CORS', () => {
    it('is off for unknown origins and on for configured ones', async () => {
      const from = (value: string, method = 'GET') =>
        server.call(method, '/api/system/info', undefined, { origin: value });
      const foreign = await from('https://evil.example');
      expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
      const known = await from(origin);
      expect(known.headers.get('access-control-allow-origin')).toBe(origin);
      expect(known.headers.get('vary')).toMatch(/origin/i);
      const preflight = await from(origin, 'OPTIONS');
      expect(preflight.headers.get('access-control-allow-methods')).toContain('GET');
      expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
      // Caches must keep the two answers apart.
      expect(foreign.headers.get('vary')).toMatch(/origin/i);
    });

    it('permits the headers that SDKs of a known origin ask for', async () => {
      const ask = (from: string, names: string) =>
        server.call('OPTIONS', '/v1/chat/completions', undefined, {
          origin: from,
          'access-control-request-method': 'POST',
          'access-control-request-headers': names,
        });
      const sdk = 'authorization,content-type,x-stainless-lang,x-stainless-retry-count';
      expect((await ask(origin, sdk)).headers.get('access-control-allow-headers')).toBe(sdk);
      expect((await ask(origin, 'a, <b>')).headers.get('access-control-allow-headers')).not.toMatch(/</);
      expect((await ask('https://evil.example', sdk)).headers.get('access-control-allow-headers')).toBeNull();
    });

    it('holds for socket.io’s polling', async () => {
      const poll = (from: string) =>
        fetch(`${server.url}/socket.io/?EIO=4&transport=polling`, { headers: { origin: from } });
      const known = await poll(origin);
      expect(known.status).toBe(200);
      expect(known.headers.get('access-control-allow-origin')).toBe(origin);
      expect((await poll('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
    });
  });

  describe('addresses of probes', () => {
    it('answers where probes look by default', async () => {
      for (const path of ['/healthz', '/livez', '/readyz'])
        expect((await request(server.url, 'GET', path)).status).toBe(200);
      const metrics = await server.call('GET', '/metrics');
      expect(metrics.body).toMatch(/^# HELP /m);
      await failure(request(server.url, 'GET', '/metrics'), 401, 'UNAUTHENTICATED');
    });

    it('answers 404 where there is nothing', async () => {
      for (const path of ['/health', '/favicon.png', '/runs/1', '/nowhere'])
        await failure(server.call('GET', path), 404, 'ROUTE_NOT_FOUND');
    });
  });

  describe('streams without headers', () => {
    const ticketFor = async (...topics: string[]) =>
      (await server.call('POST', '/api/ws/tickets', { topics })).body.data.ticket as string;
    const open = (path: string) => fetch(`${server.url}${path}`, { headers: { accept: 'text/event-stream' } });
    const first = async (path: string) => {
      const response = await open(path);
      expect([path, response.status]).toEqual([path, 200]);
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const { value } = await reader.read();
      await reader.cancel();
      return Buffer.from(value ?? []).toString();
    };

    it('takes a ticket and a cursor on every stream that a browser can open', async () => {
      const id = await newRun();
      const chat = (await server.call('POST', '/api/chat/sessions', {})).body.data.id;
      await first(`/api/agent/runs/${id}/events?ticket=${await ticketFor(`run:${id}`)}&lastEventId=0`);
      expect((await open(`/api/chat/sessions/${chat}/stream?ticket=${await ticketFor(`chat:${chat}`)}`)).status).toBe(
        200,
      );
      await first(`/api/events?topics=run:${id}&ticket=${await ticketFor(`run:${id}`)}&lastEventId=0`);
      // It answers streams alone, also to who does not ask for one.
      const kit = await fetch(`${server.url}/api/chat/ui/${chat}/stream?ticket=${await ticketFor()}`);
      expect(kit.status).toBe(204);
    });

    it('opens no stream of another topic, and no other answer', async () => {
      const id = await newRun();
      const other = await newRun();
      const ticket = () => ticketFor(`run:${other}`);
      for (const path of [`/api/agent/runs/${id}/events`, `/api/agent/runs/${id}/sandbox/stream`])
        expect([path, (await open(`${path}?ticket=${await ticket()}`)).status]).toEqual([path, 403]);
      const plain = await fetch(`${server.url}/api/agent/runs/${other}/events?ticket=${await ticket()}`);
      expect(plain.status).toBe(401);
    });
  });

  describe('bodies that may be left out', () => {
    it('takes a POST without a body where no field is required', async () => {
      expect((await server.call('POST', '/api/chat/sessions')).status).toBe(200);
      expect((await server.call('POST', '/api/ws/tickets')).status).toBe(200);
      expect((await server.call('POST', '/api/ws/tickets', 'null')).status).toBe(400);
    });
  });

  describe('documents', () => {
    it('serves metrics as text and as JSON', async () => {
      const text = await server.call('GET', '/api/system/metrics');
      expect(text.headers.get('content-type')).toMatch(/^text\/plain/);
      expect(text.body).toMatch(/^# HELP .*http_request_seconds/m);
      const json = await server.call('GET', '/api/system/metrics?format=Json');
      expect(json.headers.get('content-type')).toMatch(/^application\/json/);
      expect(typeof json.body).toBe('object');
    });

    it('counts unknown methods and paths without a series for each', async () => {
      for (const method of ['FOO', 'BAR']) await server.call(method, '/nowhere').catch(() => undefined);
      const { body } = await server.call('GET', '/api/system/metrics');
      expect(body).not.toMatch(/method="(FOO|BAR)"/);
    });

    it('serves the reference page and a document without faults', async () => {
      const docs = await request(server.url, 'GET', '/docs');
      expect(docs.status).toBe(200);
      expect(docs.body).toContain('id="AgentRuns_create"');
      const document = await request(server.url, 'GET', '/openapi/v1.json');
      expect(document.body.openapi).toMatch(/^3\.1/);
      const tool = join(import.meta.dirname, '../conformance/conformance.mjs');
      const outcome = await promisify(execFile)(process.execPath, [
        tool,
        `${server.url}/openapi/v1.json`,
        '--json',
      ]).catch((error: { stdout: string }) => error);
      const { faults } = JSON.parse(outcome.stdout) as { faults: { where: string; what: string }[] };
      expect(faults.filter(({ what }) => what !== 'operation not served')).toEqual([]);
    }, 30_000);
  });

  it('ends a long poll when its client leaves', async () => {
    const id = await newRun();
    const abort = new AbortController();
    const poll = fetch(`${server.url}/api/agent/runs/${id}/wait?timeoutMs=60000`, {
      headers: { authorization: `Bearer ${server.key}` },
      signal: abort.signal,
    });
    const inFlight = async () =>
      Number(/^\w*http_in_flight (\d+)/m.exec((await server.call('GET', '/api/system/metrics')).body)?.[1]);
    await expect.poll(inFlight).toBe(2);
    abort.abort();
    await expect(poll).rejects.toThrow();
    await expect.poll(inFlight).toBe(1);
    const quick = await server.call('GET', `/api/agent/runs/${id}/wait?timeoutMs=0`);
    expect(quick.body.data).toMatchObject({ id, status: 'Pending' });
  });
});
