// What is read beside the SDK must be what the SDK itself would have read, however the answer is written and cut up.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPlainDeltas } from './plain-deltas.ts';

type Part = LanguageModelV3StreamPart;

/** A provider's answer, its bytes in these pieces. */
const answer = (pieces: Iterable<Uint8Array>) =>
  new Response(ReadableStream.from(pieces), { headers: { 'content-type': 'text/event-stream' } });

/** Answers the next call; making a model for each answer would take longer than reading it. */
let pieces: Uint8Array[] = [];
const send: typeof fetch = async () => answer(pieces);
const plain = createPlainDeltas(send);
const modelOver = (fetch: typeof send) =>
  createOpenAICompatible({ name: 'compatible', baseURL: 'http://model.test', includeUsage: true, fetch }).chatModel(
    'm',
  );
const bySdk = modelOver(send);
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
  const { stream } = await beside.doStream({ prompt, abortSignal });
  return reading(plain.read(abortSignal, stream));
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
        return [part];
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

const text = fc.string({ unit: 'grapheme', maxLength: 8 });
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
  { weight: 6, arbitrary: text.map((content) => chunk({ content })) },
  { weight: 2, arbitrary: text.map((reasoning_content) => chunk({ content: null, reasoning_content })) },
  text.map((reasoning) => chunk({ reasoning, tool_calls: [] })),
  text.map((content) => event({ choices: [{ delta: { role: 'assistant', content }, finish_reason: null }], usage })),
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

it('leaves to the SDK what is not plain, with the tool calls and the usage so far', async () => {
  const call = { index: 0, id: 'a', function: { name: 'look', arguments: '{"at"' } };
  const plainEvents = [
    chunk({ role: 'assistant', content: '' }),
    ': still there\n\n',
    chunk({ reasoning_content: 'hm' }),
    chunk({ content: 'Look:' }, { finish_reason: null }),
    callChunk(call),
    callChunk({ index: 0, function: { arguments: ':1}' } }),
    usageEvent,
  ];
  pieces = cutUp([...plainEvents, finish('tool_calls'), done].join(''), [0.3, 0.6]);
  const { signal } = new AbortController();
  const left = await plain.fetch('http://model.test', { signal });
  const { said } = await reading(plain.read(signal, ReadableStream.from<Part>([])));
  expect(said).toEqual([
    ['reasoning-delta', 'hm'],
    ['text-delta', 'Look:'],
    ['tool-input-start', 0, 'look'],
    ['tool-input-delta', 0, '{"at"'],
    ['tool-input-delta', 0, ':1}'],
  ]);
  const soFar = {
    choices: [{ delta: { tool_calls: [{ ...call, function: { name: 'look', arguments: '{"at":1}' } }] } }],
    usage,
  };
  expect(await left.text()).toBe(event(soFar) + finish('tool_calls') + done);
});
