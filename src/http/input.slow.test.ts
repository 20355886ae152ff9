// What requests bring along, over real sockets, on both adapters: queries, bodies, forms, idempotency keys.
import { existsSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { transports } from '../../test/support/transports.ts';
import { check } from './input.ts';
import { asking, until } from './testing/asking.ts';
import { type Sample, serveSample } from './testing/sample.ts';

describe.each(transports)('requests on %s', (name) => {
  let sample: Sample;
  beforeAll(async () => {
    sample = await serveSample(name, { checkResponses: true });
  });
  afterAll(() => sample.close());
  const ask = asking(() => sample.url);

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
      ['{"text":"a","":1}', 400, 'VALIDATION_FAILED', '""'],
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

    it('says of what is missing that it is, and of what is wrong what was expected', async () => {
      const said = async (text: string) => (await ask('POST', '/api/notes', text)).body.error;
      expect(await said('{}')).toBe('The body is not valid: text: is missing.');
      expect(await said('')).toBe('The body is not valid: body: is missing.');
      expect(await said('{"text":null}')).toContain('expected string');
      expect(await said('{"text":""}')).toBe('The body is not valid: text: must have at least 1 character.');
      const many = z.strictObject({ all: z.array(z.string()).max(2), most: z.number().max(9), more: z.number().gt(0) });
      expect(() => check(many, { all: ['a', 'b', 'c'], most: 10, more: 0 }, 'body')).toThrow(
        'all: must have at most 2 items; most: must be at most 9; more: must be more than 0.',
      );
      const kinds = z.strictObject({ kind: z.enum(['A', 'B']), either: z.union([z.string(), z.number()]) });
      expect(() => check(kinds, {}, 'body')).toThrow('kind: is missing (expected one of "A"|"B"); either: is missing.');
      expect(() => check(z.string('Say which.'), undefined, 'query')).toThrow('query: Say which.');
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

  it.each([
    ['/api/notes', 'application/json'],
    ['/api/notes/upload', 'multipart/form-data; boundary=x'],
  ])('says of a compressed body of %s that it takes none', async (path, type) => {
    const send = async (encoding: string) => {
      const headers = { authorization: 'Bearer writer', 'content-type': type, 'content-encoding': encoding };
      return (await fetch(sample.url + path, { method: 'POST', body: gzipSync('{"text":"a"}'), headers })).json();
    };
    expect(await send('gzip')).toMatchObject({
      errorCode: 'UNSUPPORTED_MEDIA_TYPE',
      error: expect.stringContaining('gzip'),
      hint: expect.stringContaining('Content-Encoding'),
    });
    expect(await send('identity')).toMatchObject({ errorCode: 'BAD_REQUEST' });
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

    it('refuses a file while it is on its way, which ends no process', async () => {
      const begun = '--x\r\ncontent-disposition: form-data; name="other"; filename="a"\r\n\r\nthe rest never comes';
      const response = await fetch(`${sample.url}/api/notes/upload`, {
        method: 'POST',
        body: new ReadableStream({ start: (to) => to.enqueue(Buffer.from(begun)) }),
        headers: { authorization: 'Bearer writer', 'content-type': 'multipart/form-data; boundary=x' },
        duplex: 'half',
      } as RequestInit);
      expect(response.status).toBe(400);
      expect(((await response.json()) as { error: string }).error).toContain('other is not a file');
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
});
