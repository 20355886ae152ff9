// The whole way of a request, over real sockets, on both adapters.
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRaw } from '../../test/support/raw-socket.ts';
import { transports } from '../../test/support/transports.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createRateLimiter } from './rate-limit.ts';
import { type Sample, serveSample } from './testing/sample.ts';

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
};

describe.each(transports)('pipeline on %s', (name) => {
  let sample: Sample;
  beforeAll(async () => {
    sample = await serveSample(name, { checkResponses: true, corsOrigins: ['https://good.example'] });
  });
  afterAll(() => sample.close());

  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(sample.url + path, {
      method,
      body: text,
      headers: {
        authorization: 'Bearer writer',
        ...(text === null ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    const answer = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text: answer,
      body: answer ? JSON.parse(answer) : null,
    };
  };

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

  describe('input', () => {
    it('reads queries by their schema', async () => {
      const { body } = await ask('GET', '/api/notes?page=2&pageSize=1&ids=1,2&ids=3&exact=true&q=5&sort=-id');
      expect(JSON.parse(body.data.items[0].text)).toEqual({
        page: 2,
        pageSize: 1,
        sort: '-id',
        q: '5',
        ids: [1, 2, 3],
        exact: true,
      });
    });

    it.each([
      ['?page=x', 'page'],
      ['?pageSize=0', 'pageSize'],
      ['?pageSize=201', 'pageSize'],
      ['?page=1&page=2', 'page'],
      ['?page=', 'page'],
      ['?sort=text', 'sort'],
      ['?ids=1,x', 'ids.1'],
      ['?exact=maybe', 'exact'],
      ['?nope=1', 'nope'],
      ['?__proto__=1', '__proto__'],
    ])('refuses the query %s and names %s', async (query, field) => {
      const { status, body } = await ask('GET', `/api/notes${query}`);
      expect([status, body.errorCode]).toEqual([400, 'VALIDATION_FAILED']);
      expect(body.error).toContain(field);
      expect(body.hint).toContain(field);
    });

    it('refuses a query and a body where none is taken', async () => {
      expect((await ask('GET', '/api/notes/7?x=1')).body.error).toContain('x');
      expect((await ask('POST', '/api/notes/7/touch', { x: 1 })).body.errorCode).toBe('VALIDATION_FAILED');
      expect((await ask('POST', '/api/notes/7/touch', {})).body.data).toBeNull();
      expect((await ask('POST', '/api/notes/7/touch')).status).toBe(200);
    });

    it.each([
      ['{"text":', 400, 'BAD_REQUEST', 'JSON'],
      ['nonsense', 400, 'BAD_REQUEST', 'JSON'],
      ['{"text":1}', 400, 'VALIDATION_FAILED', 'text'],
      ['{"text":"a","weight":1.5}', 400, 'VALIDATION_FAILED', 'weight'],
      ['{"text":"a","more":1}', 400, 'VALIDATION_FAILED', 'more'],
      ['{"text":"a","__proto__":{"x":1}}', 400, 'VALIDATION_FAILED', '__proto__'],
      ['{}', 400, 'VALIDATION_FAILED', 'text'],
      ['[]', 400, 'VALIDATION_FAILED', 'body'],
      ['null', 400, 'VALIDATION_FAILED', 'body'],
      ['', 400, 'VALIDATION_FAILED', 'body'],
    ])('refuses the body %s', async (text, status, code, named) => {
      const answer = await ask('POST', '/api/notes', text);
      expect([answer.status, answer.body.errorCode]).toEqual([status, code]);
      expect(answer.body.error).toContain(named);
      expect(answer.body.hint).toBeTruthy();
    });

    it('refuses other types, other encodings, deep nesting and huge bodies', async () => {
      const send = async (bytes: Uint8Array, type = 'application/json') => {
        const response = await fetch(`${sample.url}/api/notes`, {
          method: 'POST',
          body: bytes,
          headers: { authorization: 'Bearer writer', 'content-type': type },
        });
        return [response.status, ((await response.json()) as { errorCode: string | null }).errorCode];
      };
      const good = Buffer.from('{"text":"a"}');
      expect(await send(good, 'application/vnd.x+json; charset=utf-8')).toEqual([200, null]);
      expect(await send(good, 'text/plain')).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
      expect(await send(good, 'application/x-www-form-urlencoded')).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
      expect(await send(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toEqual([400, 'BAD_REQUEST']);
      expect(await send(Buffer.from('['.repeat(200_000) + ']'.repeat(200_000)))).toEqual([400, 'BAD_REQUEST']);
      expect(await send(Buffer.alloc(1_100_000, 0x20))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    });
  });

  describe('forms', () => {
    const upload = async (form: FormData | string, type?: string) => {
      const response = await fetch(`${sample.url}/api/notes/upload`, {
        method: 'POST',
        body: form,
        headers: { authorization: 'Bearer writer', ...(type ? { 'content-type': type } : {}) },
      });
      // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
      return { status: response.status, body: (await response.json()) as any };
    };
    const form = (entries: [string, string | Blob, string?][]) => {
      const data = new FormData();
      for (const [key, value, file] of entries)
        if (typeof value === 'string') data.append(key, value);
        else data.append(key, value, file);
      return data;
    };
    const file = new Blob(['hello'], { type: 'text/plain' });

    it('receives fields and files, and removes the files afterwards', async () => {
      const { body } = await upload(
        form([
          ['name', 'n'],
          ['count', '4'],
          ['file', file, '../../a.txt'],
        ]),
      );
      expect(body.data).toMatchObject({ name: 'n', count: 4, content: 'a.txt text/plain hello' });
      await until(() => !existsSync(body.data.path));
    });

    it.each<[string, FormData | string, string | undefined, number]>([
      [
        'a file that is not declared',
        form([
          ['name', 'n'],
          ['other', file, 'a'],
        ]),
        undefined,
        400,
      ],
      [
        'two files of one name',
        form([
          ['name', 'n'],
          ['file', file, 'a'],
          ['file', file, 'b'],
        ]),
        undefined,
        400,
      ],
      [
        'a file that is too large',
        form([
          ['name', 'n'],
          ['file', new Blob(['x'.repeat(1001)]), 'a'],
        ]),
        undefined,
        413,
      ],
      [
        'a field that is not declared',
        form([
          ['name', 'n'],
          ['more', '1'],
        ]),
        undefined,
        400,
      ],
      [
        'a wrong field',
        form([
          ['name', 'n'],
          ['count', 'x'],
        ]),
        undefined,
        400,
      ],
      ['no form', '{}', 'application/json', 415],
      ['no boundary', 'x', 'multipart/form-data', 400],
      [
        'a form that breaks off',
        '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nabc',
        'multipart/form-data; boundary=b',
        400,
      ],
    ])('refuses %s', async (_, data, type, status) => {
      const answer = await upload(data, type);
      expect(answer.status).toBe(status);
      expect(answer.body.ok).toBe(false);
      expect(answer.body.hint).toBeTruthy();
    });
  });

  describe('Idempotency-Key', () => {
    const create = (text: string, key: string) => ask('POST', '/api/notes', { text }, { 'idempotency-key': key });

    it('carries a request out once and answers alike', async () => {
      const before = sample.log.created.length;
      const first = await create('once', 'key-1');
      const second = await create('once', 'key-1');
      expect(sample.log.created.length).toBe(before + 1);
      expect(second.text).toBe(first.text);
      expect([first, second].map((a) => a.headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    });

    it('refuses a different request, and one that is still under way', async () => {
      await create('a', 'key-2');
      expect((await create('b', 'key-2')).body.errorCode).toBe('IDEMPOTENCY_MISMATCH');
      const waiting = create('wait', 'key-3');
      await until(() => sample.log.release.length === 1);
      const early = await create('wait', 'key-3');
      expect([early.body.errorCode, early.headers.get('retry-after')]).toEqual(['CONFLICT', '1']);
      sample.log.release.splice(0).forEach((release) => void release());
      expect((await waiting).status).toBe(200);
    });

    it('does not keep failures, and refuses unusable keys', async () => {
      expect((await create('refuse', 'key-4')).status).toBe(409);
      expect((await create('fine', 'key-4')).status).toBe(200);
      expect((await create('x', 'a b')).body.errorCode).toBe('BAD_REQUEST');
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
      ip: '127.0.0.1',
      msg: 'request',
    });
    expect(JSON.stringify(sample.lines)).not.toContain('Bearer');
    expect(sample.observed[0]).toMatchObject({ route: '/api/notes/{id}', method: 'GET', status: 200 });
  });

  it('limits a caller, and says when to come back', async () => {
    const clock = new SimulatedClock();
    const limited = await serveSample(name, {
      limits: { perCaller: createRateLimiter({ perSecond: 0.5, burst: 2, clock }) },
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
