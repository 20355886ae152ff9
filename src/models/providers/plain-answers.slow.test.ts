// What is read beside the SDK must be what the SDK itself would have read, however the answer is written and cut up.
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, createSend, toResponse } from '../../kernel/http-send.ts';
import { createPlainAnswers, type PlainAnswers } from './plain-answers.ts';

type Part = LanguageModelV3StreamPart;

/** A provider's answer, its bytes in these pieces. */
const answer = (pieces: Iterable<Uint8Array>): Answer =>
  Object.assign(Readable.from(pieces), {
    statusCode: 200,
    statusMessage: 'OK',
    rawHeaders: ['content-type', 'text/event-stream'],
  });

/** Answers the next call; making a model for each answer would take longer than reading it. */
let pieces: Uint8Array[] = [];
const plain = createPlainAnswers(async () => answer(pieces));
const modelOver = (fetch: typeof globalThis.fetch) =>
  createOpenAICompatible({ name: 'compatible', baseURL: 'http://model.test', includeUsage: true, fetch }).chatModel(
    'm',
  );
const bySdk = modelOver(async () => toResponse(answer(pieces)));
const beside = modelOver(plain.fetch);
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];

/** What was read, and how it broke off where it did. */
interface Reading {
  said: unknown[];
  broke: string | null;
}

async function reading(stream: AsyncIterable<Part>): Promise<Reading> {
  const parts: Part[] = [];
  try {
    for await (const part of stream) parts.push(part);
    return { said: essence(parts), broke: null };
  } catch (error) {
    return { said: essence(parts), broke: String(error) };
  }
}

const readBySdk = async () => reading((await bySdk.doStream({ prompt })).stream);

async function readBeside(): Promise<Reading> {
  const { signal: abortSignal } = new AbortController();
  return reading(await plain.open(abortSignal, () => beside.doStream({ prompt, abortSignal })));
}

/** What the gateway makes something of; ids that were made up on the way are numbered. */
function essence(parts: Part[]): unknown[] {
  const ids = new Map<string, number>();
  const numbered = (id: string) => ids.get(id) ?? ids.set(id, ids.size).get(id);
  return parts.flatMap((part): unknown[] => {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        return part.delta ? [[part.type, part.delta]] : [];
      case 'tool-input-delta':
        return part.delta ? [[part.type, numbered(part.id), part.delta]] : [];
      case 'tool-input-start':
        return [[part.type, numbered(part.id), part.toolName]];
      case 'tool-call':
        return [[part.type, numbered(part.toolCallId), part.toolName, part.input, part.providerMetadata]];
      case 'error':
        return [['error', part.error instanceof Error ? part.error.message : part.error]];
      case 'finish':
        return [[part.type, part.finishReason, { ...part.usage, raw: null }]];
      default:
        return [];
    }
  });
}

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, more: object = {}) =>
  event({ id: 'c', model: 'm', choices: [{ index: 0, delta, ...more }] });
const callChunk = (...tool_calls: object[]) => chunk({ tool_calls });
const usage = { prompt_tokens: 7, completion_tokens: 3, completion_tokens_details: { reasoning_tokens: 2 } };
const finish = (reason: string) => chunk({}, { finish_reason: reason });
const usageEvent = event({ choices: [], usage });
const done = 'data: [DONE]\n\n';

const words = fc.string({ unit: 'grapheme', maxLength: 8 });
const index = fc.option(fc.nat(2), { nil: undefined, freq: 6 });
const id = fc.constantFrom('a', 'b', 'c', '', null, undefined);
const name = fc.constantFrom('look', 'take', ' ');
const written = fc.constantFrom('', '{', '{"at":', '"sky"', '}', '{}');
const extra = fc.constantFrom({}, { extra_content: { google: { thought_signature: 'signed' } } });
const newCall = fc.tuple(index, id, name, written, extra).map(([index, id, name, written, extra]) => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: written },
  ...extra,
}));
const moreOfCall = fc
  .tuple(index, fc.constantFrom(undefined, null, '', 'a', 'b'), written)
  .map(([index, id, written]) => ({ index, id, function: { arguments: written } }));

const anyEvent = fc.oneof(
  { weight: 6, arbitrary: words.map((content) => chunk({ content })) },
  { weight: 2, arbitrary: words.map((reasoning_content) => chunk({ content: null, reasoning_content })) },
  words.map((reasoning) => chunk({ reasoning, tool_calls: [] })),
  words.map((content) => event({ choices: [{ delta: { role: 'assistant', content }, finish_reason: null }], usage })),
  { weight: 3, arbitrary: newCall.map((call) => callChunk(call)) },
  { weight: 3, arbitrary: moreOfCall.map((call) => callChunk(call)) },
  fc.tuple(newCall, moreOfCall).map((both) => callChunk(...both)),
  fc.constantFrom(
    ': OPENROUTER PROCESSING\n\n',
    ': ping\ndata: {"choices":[]}\n\n',
    `event: message\n${chunk({ content: 'named' })}`,
    'data: {"choices":[{"delta":\ndata: {"content":"two lines"}}]}\n\n',
    'data:{"choices":[{"delta":{"content":"no space"}}]}\n\n',
    event({ choices: [{ delta: { content: [{ type: 'text', text: 'in parts' }] } }] }),
    event({ choices: [{ delta: null }] }),
    event({ choices: [], prompt_filter_results: [] }),
    usageEvent,
    finish('stop'),
    finish('tool_calls'),
    done,
    '\n',
  ),
  fc.constantFrom(
    'data: {"id": broken\n\n',
    'data: null\n\n',
    event({ usage }),
    event({ error: { message: 'overloaded', code: 503 } }),
    event({ error: 'overloaded' }),
    event({ error: { message: 'in the middle' }, choices: [{ delta: { content: '' }, finish_reason: 'error' }] }),
    event({ choices: [{ delta: { content: 7 } }] }),
  ),
);

/** Bytes cut at these shares of their length. */
function cutUp(whole: string, shares: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(whole);
  const cuts = [0, ...shares.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((to, at) => bytes.subarray(cuts[at], to));
}

it('is what the SDK reads', async () => {
  const ending = fc.constantFrom('', finish('stop') + done, finish('tool_calls') + usageEvent + done);
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
  const events = fc.array(anyEvent, { maxLength: 8 });
  const property = fc.asyncProperty(events, ending, cuts, fc.boolean(), async (events, ending, cuts, crlf) => {
    const whole = events.join('') + ending;
    pieces = cutUp(crlf ? whole.replaceAll('\n', '\r\n') : whole, cuts);
    const [seen, expected] = [await readBeside(), await readBySdk()];
    expect(seen.broke).toBe(expected.broke);
    // A web stream that breaks forgets what nobody has fetched yet.
    const common = expected.broke === null ? undefined : Math.min(seen.said.length, expected.said.length);
    expect(seen.said.slice(0, common)).toEqual(expected.said.slice(0, common));
  });
  // The same samples each time: what the SDK makes of the strangest answers is not ours to find out.
  await fc.assert(property, { seed: 2026, numRuns: 150 });
});

/** What was read of an answer, and what the SDK got of it; null where it got nothing. */
async function readApart(events: string[]): Promise<{ said: unknown[]; left: string | null }> {
  pieces = cutUp(events.join(''), [0.3, 0.6]);
  let left: string | null = null;
  const { signal } = new AbortController();
  const start = async () => {
    left = await (await plain.fetch('http://model.test', { signal })).text();
    return { stream: ReadableStream.from<Part>([]) };
  };
  const { said } = await reading(await plain.open(signal, start));
  return { said, left };
}

const call = { index: 0, id: 'a', function: { name: 'look', arguments: '{"at"' } };
const plainEvents = [
  chunk({ role: 'assistant', content: '' }),
  ': still there\n\n',
  chunk({ reasoning_content: 'hm' }),
  chunk({ content: 'Look:' }, { finish_reason: null }),
  callChunk(call),
  callChunk({ index: 0, function: { arguments: ':1}' } }),
  usageEvent,
  finish('tool_calls'),
];
const saidPlainly = [
  ['reasoning-delta', 'hm'],
  ['text-delta', 'Look:'],
  ['tool-input-start', 0, 'look'],
  ['tool-input-delta', 0, '{"at"'],
  ['tool-input-delta', 0, ':1}'],
];

it('reads a plain answer to its end, of which the SDK never hears', async () => {
  const { said, left } = await readApart([...plainEvents, done]);
  expect(left).toBe(null);
  expect(said.slice(0, 5)).toEqual(saidPlainly);
  expect(said.slice(5)).toMatchObject([
    ['tool-call', 0, 'look', '{"at":1}', undefined],
    ['finish', { unified: 'tool-calls' }, { inputTokens: { total: 7 }, outputTokens: { total: 3, reasoning: 2 } }],
  ]);
});

it('leaves to the SDK what is not plain, with the tool calls, the usage and the reason to end so far', async () => {
  const odd = event({ error: { message: 'overloaded' } });
  const { said, left } = await readApart([...plainEvents, odd, done]);
  expect(said).toEqual(saidPlainly);
  const tool_calls = [{ ...call, function: { name: 'look', arguments: '{"at":1}' } }];
  const soFar = event({ choices: [{ delta: { tool_calls }, finish_reason: 'tool_calls' }], usage });
  expect(left).toBe(soFar + odd + done);
});

it('leaves to the SDK the end of an answer that was cut, and calls that carry more than their arguments', async () => {
  expect((await readApart([chunk({ content: 'Half' })])).left).toBe('');
  const signed = { ...call, extra_content: { google: { thought_signature: 'signed' } } };
  expect((await readApart([callChunk(signed), finish('stop')])).left).toMatch(/signed.*"finish_reason":"stop"/);
});

/** A server on loopback with its base URL, until `close`. */
async function serve(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) };
}

async function ask(baseURL: string, plain: PlainAnswers, abortSignal = new AbortController().signal) {
  const model = createOpenAICompatible({ name: 'compatible', baseURL, fetch: plain.fetch }).chatModel('m');
  return plain.open(abortSignal, () => model.doStream({ prompt, abortSignal }));
}

describe('over the network', () => {
  const headers = { connection: 'close', 'content-type': 'text/event-stream' };

  it('follows redirects with the request, from then on as fetch does', async () => {
    const seen: string[] = [];
    const server = await serve(async (request, response) => {
      seen.push(`${request.method} ${request.url}`);
      const { model } = JSON.parse(await text(request)) as { model: string };
      if (request.url?.startsWith('/old')) response.writeHead(308, { ...headers, location: '/v1' }).end();
      else response.writeHead(200, headers).end(chunk({ content: model }) + finish('stop') + done);
    });
    const plain = createPlainAnswers(createSend());
    for (let time = 1; time <= 2; time++) {
      const { said } = await reading(await ask(`${server.url}/old`, plain));
      expect(said[0]).toEqual(['text-delta', 'm']);
    }
    const [old, moved] = ['POST /old/chat/completions', 'POST /v1'];
    expect(seen).toEqual([old, old, moved, old, moved]);
    await server.close();
  });

  it('tells refusals as the SDK does', async () => {
    const server = await serve((_, response) => {
      response.writeHead(429, { ...headers, 'retry-after': '7' }).end('{"error":{"message":"slow down"}}');
    });
    await expect(ask(server.url, createPlainAnswers(createSend()))).rejects.toMatchObject({
      message: 'slow down',
      statusCode: 429,
      responseHeaders: { 'retry-after': '7' },
    });
    await server.close();
    await expect(ask(server.url, createPlainAnswers(createSend()))).rejects.toMatchObject({
      message: expect.stringContaining('ECONNREFUSED'),
      isRetryable: true,
    });
  });

  it('breaks off with a connection that breaks, and closes it when its reader leaves', async () => {
    const open: ServerResponse[] = [];
    const server = await serve((_, response) => {
      open.push(response.writeHead(200, headers));
      response.write(chunk({ content: 'Half' }));
    });
    const plain = createPlainAnswers(createSend());
    const cut = (await ask(server.url, plain))[Symbol.asyncIterator]();
    expect((await cut.next()).value).toMatchObject({ delta: 'Half' });
    open[0]?.destroy();
    await expect(cut.next()).rejects.toThrow('aborted');
    for await (const _ of await ask(server.url, plain)) break;
    const left = open[1] as ServerResponse;
    if (!left.destroyed) await new Promise((resolve) => left.once('close', resolve));
    await server.close();
  });
});
