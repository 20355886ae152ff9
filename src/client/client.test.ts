import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { group, op } from '../contract/operation.ts';
import { fields, int64, string } from '../contract/types.ts';
import { createClient } from './client.ts';
import type { AgentRunDto, ApiError } from './index.ts';

const notes = group(
  'Notes',
  { base: '/api/runs/{runId}/notes', doc: 'Notes.' },
  {
    list: op.get('', {
      doc: 'List.',
      needs: 'RunsRead',
      query: fields({ q: string.optional(), tags: z.array(string).optional() }),
      data: z.array(string),
    }),
    create: op.post('/{key}', {
      doc: 'Create.',
      needs: 'RunsWrite',
      body: fields({ text: string }),
      data: z.strictObject({ id: int64 }),
    }),
    file: op.get('/file', { doc: 'Download.', needs: 'RunsRead', data: z.string(), reply: 'file' }),
  },
);

function clientThatGets(answer: () => Response) {
  const requests: { url: string; init: RequestInit }[] = [];
  const fetch = async (url: unknown, init: unknown) => {
    requests.push({ url: String(url), init: init as RequestInit });
    return answer();
  };
  const client = createClient<{ notes: typeof notes }>(
    { baseUrl: 'http://host/', token: 'rvt_x', fetch: fetch as typeof globalThis.fetch },
    {
      notes: {
        list: 'GET /api/runs/{runId}/notes',
        create: 'POST /api/runs/{runId}/notes/{key}',
        file: 'GET /api/runs/{runId}/notes/file!',
      },
    },
  );
  return { client, requests };
}
const envelope = (data: unknown) =>
  Response.json({ ok: true, requestId: 'r', data, error: null, errorCode: null, unreadMessages: 0 });

describe('a call', () => {
  it('fills the path, repeats lists in the query and unwraps the envelope', async () => {
    const { client, requests } = clientThatGets(() => envelope(['a']));
    const answer = await client.notes.list({ params: { runId: 7 }, query: { q: 'x y', tags: ['a', 'b'] } });
    expect(answer).toEqual(['a']);
    expectTypeOf(answer).toEqualTypeOf<string[]>();
    expect(requests[0]?.url).toBe('http://host/api/runs/7/notes?q=x+y&tags=a&tags=b');
    expect(requests[0]?.init.headers).toMatchObject({ authorization: 'Bearer rvt_x' });
  });

  it('sends JSON with an idempotency key', async () => {
    const { client, requests } = clientThatGets(() => envelope({ id: 3 }));
    const made = await client.notes.create({
      params: { runId: 7, key: 'a/b' },
      body: { text: 'hi' },
      idempotencyKey: 'k',
    });
    expectTypeOf(made).toEqualTypeOf<{ id: number }>();
    expect(requests[0]?.url).toBe('http://host/api/runs/7/notes/a%2Fb');
    expect(requests[0]?.init).toMatchObject({
      method: 'POST',
      body: '{"text":"hi"}',
      headers: { 'idempotency-key': 'k' },
    });
  });

  it('answers a file as it is', async () => {
    const { client } = clientThatGets(() => new Response('bytes'));
    expect(await (await client.notes.file({ params: { runId: 1 } })).text()).toBe('bytes');
  });

  it('throws the envelope’s error with its hint', async () => {
    const { client } = clientThatGets(() =>
      Response.json(
        { ok: false, data: null, error: 'No run 7.', errorCode: 'NOT_FOUND', hint: 'List runs.', requestId: 'r9' },
        { status: 404 },
      ),
    );
    await expect(client.notes.list({ params: { runId: 7 } })).rejects.toMatchObject({
      name: 'ApiError',
      code: 'NOT_FOUND',
      status: 404,
      hint: 'List runs.',
      requestId: 'r9',
      message: 'No run 7.',
    });
  });

  it('explains an answer that is not the API’s', async () => {
    const { client } = clientThatGets(() => new Response('<html>', { status: 502 }));
    await expect(client.notes.list({ params: { runId: 7 } })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      status: 502,
    });
  });

  it('says what a proxy on the way refused or waits for, in words of its own', async () => {
    const statuses = [413, 502, 503, 504, 505, 404];
    const { client } = clientThatGets(() => new Response('<html>', { status: statuses[0] as number }));
    const said: unknown[] = [];
    for (; statuses.length > 0; statuses.shift()) {
      const error: unknown = await client.notes.list({ params: { runId: 7 } }).catch((thrown) => thrown);
      const { code, message, hint } = error as ApiError;
      said.push([statuses[0], code, message, /proxy\.md/.test(hint ?? '')]);
    }
    expect(said).toEqual([
      [413, 'PAYLOAD_TOO_LARGE', 'A proxy on the way takes nothing of this size.', true],
      [502, 'UNAVAILABLE', 'The server does not answer the proxy before it (502).', true],
      [503, 'UNAVAILABLE', 'The server does not answer the proxy before it (503).', true],
      [504, 'UNAVAILABLE', 'The server took longer than the proxy before it waits (504).', true],
      [505, 'INTERNAL_ERROR', 'The proxy speaks HTTP/1.0 to the server, which takes HTTP/1.1.', true],
      [404, 'INTERNAL_ERROR', 'The server answered 404', false],
    ]);
  });

  it('explains a server that is not there', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed'));
    const client = createClient({ baseUrl: 'http://host', fetch });
    await expect(client.system.info()).rejects.toMatchObject({ code: 'NETWORK', status: 0 });
  });

  it('explains an answer that breaks off, and one that is no JSON', async () => {
    const broken = new ReadableStream({
      start(stream) {
        stream.enqueue(new TextEncoder().encode('{"ok":'));
        stream.error(new TypeError('terminated'));
      },
    });
    const answers = [new Response(broken), new Response('<html>')];
    const { client } = clientThatGets(() => answers.shift() as Response);
    await expect(client.notes.list({ params: { runId: 7 } })).rejects.toMatchObject({
      name: 'ApiError',
      code: 'NETWORK',
      status: 0,
    });
    await expect(client.notes.list({ params: { runId: 7 } })).rejects.toMatchObject({
      name: 'ApiError',
      status: 200,
      hint: expect.stringContaining('proxies'),
    });
  });

  it('asks for a new token once when the last has expired', async () => {
    const asked: boolean[] = [];
    const fetch = async (_: unknown, init?: RequestInit) =>
      (init?.headers as Record<string, string> | undefined)?.authorization === 'Bearer new'
        ? envelope({ name: 'Rivulet' })
        : Response.json({ ok: false, data: null, error: 'Expired.', errorCode: 'TOKEN_EXPIRED' }, { status: 401 });
    const client = createClient({
      baseUrl: 'http://host',
      fetch: fetch as typeof globalThis.fetch,
      getToken: ({ expired }) => {
        asked.push(expired);
        return expired ? 'new' : 'old';
      },
    });
    expect(await client.system.info()).toEqual({ name: 'Rivulet' });
    expect(asked).toEqual([false, true]);
  });
});

it('takes its types from the contracts', () => {
  const client = createClient({ baseUrl: 'http://host' });
  expectTypeOf(client.agentRuns.create).returns.resolves.toEqualTypeOf<AgentRunDto>();
  expectTypeOf(client.agentRuns.get).parameter(0).toExtend<{ params: { id: number } }>();
  // @ts-expect-error a goal is required
  void (() => client.agentRuns.create({ body: {} }));
  // @ts-expect-error there is no such operation
  void (() => client.agentRuns.explode());
});
