// The whole way of a request, over real sockets, on both adapters.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRaw } from '../../test/support/raw-socket.ts';
import { transports } from '../../test/support/transports.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createRateLimiter } from './rate-limit.ts';
import { asking, until } from './testing/asking.ts';
import { type Sample, serveSample } from './testing/sample.ts';

describe.each(transports)('pipeline on %s', (name) => {
  let sample: Sample;
  beforeAll(async () => {
    sample = await serveSample(name, { checkResponses: true, corsOrigins: ['https://good.example'] });
  });
  afterAll(() => sample.close());

  const ask = asking(() => sample.url);

  describe('answers', () => {
    it('wraps data in the envelope', async () => {
      const { status, headers, body } = await ask('GET', '/api/notes/7', undefined, { 'x-request-id': 'my-request.1' });
      expect(status).toBe(200);
      expect(body).toEqual({
        ok: true,
        requestId: 'my-request.1',
        data: { id: 7, text: 'one', tags: [], weight: null },
        error: null,
        errorCode: null,
        count: null,
        hint: null,
        unreadMessages: 3,
      });
      expect(headers.get('x-request-id')).toBe('my-request.1');
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    });

    it('replaces a request id that is not sane', async () => {
      for (const id of ['a"b-12345', 'x'.repeat(200), '<script>alert(1)</script>']) {
        const { body } = await ask('GET', '/api/notes/7', undefined, { 'x-request-id': id });
        expect(body.requestId).toMatch(/^[0-9a-f-]{36}$/);
      }
    });

    it('counts lists and pages, and tells nobody of unread messages who is nobody', async () => {
      expect((await ask('GET', '/api/notes')).body.count).toBe(1);
      const open = await fetch(`${sample.url}/api/notes/all`);
      expect(await open.json()).toMatchObject({ count: 2, unreadMessages: 0 });
    });

    it('sends bare JSON, files whole and in pieces', async () => {
      expect((await ask('GET', '/api/notes/1/raw')).body).toEqual({ bare: true });
      const get = (id: number) =>
        fetch(`${sample.url}/api/notes/${id}/download`, { headers: { authorization: 'Bearer guest' } });
      const whole = await get(1);
      expect([whole.headers.get('content-type'), await whole.text()]).toEqual(['application/zip', 'whole']);
      expect(whole.headers.get('content-disposition')).toMatch(
        /^attachment; .*filename\*=UTF-8''n%C3%B6te%20%221%22\.zip$/,
      );
      // What others named: no folder, no line and no turned text is in it.
      const hostile = '.._.._etc___X: 1_gpj.exe';
      expect((await get(2)).headers.get('content-disposition')).toBe(
        `attachment; filename="${hostile}"; filename*=UTF-8''${encodeURIComponent(hostile)}`,
      );
      expect(await (await get(3)).text()).toBe('piece 1 piece 2 piece 3 ');
    });

    it('cuts the connection when a file breaks off, and lives on', async () => {
      const broken = fetch(`${sample.url}/api/notes/9/download`, { headers: { authorization: 'Bearer guest' } });
      await expect(broken.then((response) => response.text())).rejects.toThrow();
      expect((await ask('GET', '/api/notes/7')).status).toBe(200);
    });

    it('opens streams, also for a request with an Idempotency-Key', async () => {
      for (const headers of [{}, { 'idempotency-key': `stream-${name}` }]) {
        const response = await fetch(`${sample.url}/api/notes/4/follow`, {
          method: 'POST',
          headers: { authorization: 'Bearer guest', ...headers },
        });
        expect(response.headers.get('content-type')).toBe('text/event-stream');
        expect(await response.text()).toContain('data: note:4\n\n');
      }
    });

    it('answers HEAD like GET without the body, and OPTIONS with the methods', async () => {
      const head = await ask('HEAD', '/api/notes/7');
      expect([head.status, head.text]).toEqual([200, '']);
      const file = await ask('HEAD', '/api/notes/3/download');
      expect([file.status, file.text, sample.log.closed]).toEqual([200, '', 1]);
      const options = await fetch(`${sample.url}/api/notes`, { method: 'OPTIONS' });
      expect(options.status).toBe(204);
      expect(options.headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS');
    });
  });

  describe('routes', () => {
    it('prefers literals to integers to text', async () => {
      expect((await ask('GET', '/api/notes/latest')).body.data.text).toBe('writer');
      expect((await ask('GET', '/api/notes/12')).body.data.id).toBe(12);
      expect((await ask('GET', '/api/notes/caf%C3%A9')).body.data).toBe('tag café');
    });

    it.each([
      ['GET', '/api/none', 404, 'ROUTE_NOT_FOUND'],
      ['POST', '/api/notes/abc/touch', 404, 'ROUTE_NOT_FOUND'],
      ['GET', '/api//notes', 404, 'ROUTE_NOT_FOUND'],
      ['DELETE', '/api/notes/7', 405, 'METHOD_NOT_ALLOWED'],
      ['POST', '/api/notes/99999999999999999/touch', 400, 'VALIDATION_FAILED'],
      ['GET', '/api/notes/%FF', 400, 'BAD_REQUEST'],
      ['GET', `/api/notes/${'x'.repeat(600)}`, 400, 'VALIDATION_FAILED'],
    ])('%s %s is %i', async (method, path, status, code) => {
      const answer = await ask(method, path);
      expect(answer.status).toBe(status);
      expect(answer.body).toMatchObject({ ok: false, data: null, errorCode: code, hint: expect.any(String) });
      expect(answer.headers.get('allow')).toBe(status === 405 ? 'GET, HEAD, OPTIONS' : null);
    });
  });

  describe('callers', () => {
    it('asks for a credential, and says which permission is missing', async () => {
      const nobody = await fetch(`${sample.url}/api/notes/7`);
      expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(await nobody.json()).toMatchObject({
        errorCode: 'UNAUTHENTICATED',
        hint: expect.stringContaining('Bearer'),
      });
      expect((await ask('GET', '/api/notes/7', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
      const guest = await ask('GET', '/api/notes/7', undefined, { authorization: 'Bearer guest' });
      expect([guest.status, guest.body.errorCode, guest.body.unreadMessages]).toEqual([403, 'FORBIDDEN', 3]);
      expect(guest.body.hint).toContain('MemoriesRead');
    });

    it('does not read the body of a caller who may not', async () => {
      const refused = await ask('POST', '/api/notes', '{broken', { authorization: 'Bearer guest' });
      expect(refused.body.errorCode).toBe('FORBIDDEN');
    });
  });

  describe('failures', () => {
    it('answers faults with status, code, hint and Retry-After', async () => {
      const { status, headers, body } = await ask('GET', '/api/notes/fail/fault');
      expect([status, headers.get('retry-after')]).toEqual([409, '7']);
      expect(body).toMatchObject({ ok: false, error: 'It is in use.', errorCode: 'IN_USE', hint: 'Free it.' });
    });

    it('hides what went wrong inside, and logs it', async () => {
      const { status, text, body } = await ask('GET', '/api/notes/fail/boom');
      expect([status, body.errorCode]).toEqual([500, 'INTERNAL_ERROR']);
      expect(text).not.toContain('secret detail');
      const line = sample.lines.find((entry) => entry.requestId === body.requestId && 'err' in entry);
      expect(line?.err).toMatchObject({ message: 'secret detail of boom' });
    });

    it.each([
      ['boom', 'INTERNAL_ERROR', 50],
      ['elsewhere', 'CONNECTOR_ERROR', 40],
      ['maintenance', 'MAINTENANCE_MODE', null],
    ])('tells the operator of %s as what it is', async (key, code, level) => {
      const { body } = await ask('GET', `/api/notes/fail/${key}`);
      expect(body.errorCode).toBe(code);
      const lines = sample.lines.filter((entry) => entry.requestId === body.requestId && 'err' in entry);
      expect(lines.map((line) => line.level)).toEqual(level === null ? [] : [level]);
    });

    it('gives up on a handler that takes too long, and tells it', async () => {
      const { status, body } = await ask('GET', '/api/notes/fail/late');
      expect([status, body.errorCode]).toEqual([503, 'NOT_READY']);
      expect(sample.log.aborted).toBe(1);
    });

    it('finds answers that are not of their schema', async () => {
      expect((await ask('GET', '/api/notes/fail/shape')).status).toBe(500);
    });

    it('speaks problem+json to those who ask', async () => {
      const { headers, body } = await ask('GET', '/api/notes/fail/fault', undefined, {
        accept: 'application/problem+json',
      });
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(body).toMatchObject({
        status: 409,
        title: expect.any(String),
        detail: expect.any(String),
        type: expect.any(String),
      });
    });
  });

  it('lets only configured origins in', async () => {
    const preflight = (origin: string) =>
      fetch(`${sample.url}/api/notes`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const good = await preflight('https://good.example');
    expect(good.headers.get('access-control-allow-origin')).toBe('https://good.example');
    expect(good.headers.get('access-control-allow-methods')).toContain('POST');
    expect(good.headers.get('access-control-allow-headers')).toContain('idempotency-key');
    const bad = await preflight('https://evil.example');
    expect(bad.headers.get('access-control-allow-origin')).toBeNull();
    const failed = await ask('GET', '/api/notes/fail/fault', undefined, { origin: 'https://good.example' });
    expect(failed.headers.get('access-control-allow-origin')).toBe('https://good.example');
  });

  it('logs one line a request without secrets, and measures by template', async () => {
    sample.lines.length = 0;
    sample.observed.length = 0;
    await ask('GET', '/api/notes/7');
    await until(() => sample.observed.length === 1);
    expect(sample.lines).toHaveLength(1);
    expect(sample.lines[0]).toMatchObject({
      method: 'GET',
      route: 'Notes_get',
      status: 200,
      caller: 'writer',
      tenant: 1,
      identityId: 6,
      userId: 1,
      keyId: 6,
      ip: '127.0.0.1',
      msg: 'request',
    });
    expect(JSON.stringify(sample.lines)).not.toContain('Bearer');
    expect(sample.observed[0]).toMatchObject({ route: '/api/notes/{id}', method: 'GET', status: 200 });
  });

  it('limits a caller, and says when to come back', async () => {
    const clock = new SimulatedClock();
    const limited = await serveSample(name, {
      limits: { perCaller: createRateLimiter({ limit: { perSecond: 0.5, burst: 2 }, clock }) },
    });
    const get = () => fetch(`${limited.url}/api/notes/7`, { headers: { authorization: 'Bearer writer' } });
    expect([(await get()).status, (await get()).status]).toEqual([200, 200]);
    const refused = await get();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
    await clock.advance(2000);
    expect((await get()).status).toBe(200);
    await limited.close();
  });

  it('refuses work on open connections while it shuts down, and lets what is under way finish', async () => {
    const closing = await serveSample(name);
    const raw = await openRaw(closing.port);
    raw.write('GET /api/notes/all HTTP/1.1\r\nhost: x\r\n\r\n');
    await raw.until(/unreadMessages/);
    const waiting = fetch(`${closing.url}/api/notes`, {
      method: 'POST',
      body: '{"text":"wait"}',
      headers: { authorization: 'Bearer writer', 'content-type': 'application/json' },
    });
    await until(() => closing.log.release.length === 1);
    closing.app.shutDown();
    closing.server.stopListening();
    raw.write('GET /api/notes/all HTTP/1.1\r\nhost: x\r\n\r\n');
    const text = await raw.closed;
    expect(text).toMatch(/ 503 [\s\S]*SHUTTING_DOWN/);
    expect(text).toMatch(/connection: close/i);
    closing.log.release.forEach((release) => void release());
    expect((await waiting).status).toBe(200);
    await until(() => closing.server.inFlight === 0);
    await closing.close();
  });
});
