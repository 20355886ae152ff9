// Whatever pieces an answer comes in, clients of both protocols end with the same message, and find no fault with the events.
import { HttpAgent } from '@ag-ui/client';
import { readUIMessageStream, type UIMessage, type UIMessageChunk, uiMessageChunkSchema } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agUi } from './ag-ui.ts';
import type { Part } from './parts.ts';
import { uiMessageStream } from './ui-message-stream.ts';

type Delta = Extract<Part, { delta: string }>;

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const call = fc
  .record({
    name: fc.constantFrom('look', 'write'),
    input: fc.jsonValue({ maxDepth: 1 }),
    output: text,
    isError: fc.boolean(),
  })
  .map((one) => ({ ...one, kind: 'call' as const }));
const words = fc.record({ kind: fc.constantFrom('text' as const, 'reasoning' as const), delta: text });
const answer = fc.array(fc.array(fc.oneof(words, call), { maxLength: 5 }), { minLength: 1, maxLength: 3 });

/** An answer in whole pieces. */
function wholeParts(steps: typeof answer extends fc.Arbitrary<infer T> ? T : never): Part[] {
  let calls = 0;
  return [
    { type: 'start', messageId: 'm', threadId: 't', runId: 'r' },
    ...steps.flatMap((step): Part[] => [
      { type: 'step-start' },
      ...step.flatMap((one): Part[] => {
        if (one.kind !== 'call') return [{ type: one.kind, delta: one.delta }];
        const id = `call-${calls++}`;
        const argumentsJson = JSON.stringify(one.input);
        return [
          { type: 'tool-input', id, name: one.name, delta: argumentsJson },
          { type: 'tool-call', id, name: one.name, argumentsJson },
          { type: 'tool-result', id, output: one.output, isError: one.isError },
        ];
      }),
      { type: 'step-end' },
    ]),
    { type: 'finish', reason: 'stop' },
  ];
}

const isDelta = (part: Part): part is Delta =>
  part.type === 'text' || part.type === 'reasoning' || part.type === 'tool-input';

/** The same parts with every delta cut as the numbers say; an end of a tool's input may be left out. */
function cut(parts: Part[], cuts: number[]): Part[] {
  let turn = 0;
  return parts.flatMap((part): Part[] => {
    if (!isDelta(part)) return [part];
    const pieces: Part[] = [];
    for (let rest = part.delta; rest !== ''; ) {
      const size = Math.max(1, (cuts[turn++ % cuts.length] ?? 1) % (rest.length + 1));
      pieces.push({ ...part, delta: rest.slice(0, size) });
      rest = rest.slice(size);
    }
    return part.type === 'tool-input' ? pieces.slice(0, Math.max(0, pieces.length - (turn % 2))) : pieces;
  });
}

async function asUiMessage(parts: Part[]): Promise<UIMessage | undefined> {
  const encode = uiMessageStream();
  const chunks = parts.flatMap(encode) as UIMessageChunk[];
  for (const chunk of chunks) {
    const { success } = (await uiMessageChunkSchema().validate?.(chunk)) ?? { success: false };
    if (!success) throw new Error(`not a chunk: ${JSON.stringify(chunk)}`);
  }
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  let last: UIMessage | undefined;
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  for await (const message of readUIMessageStream({ stream, onError })) last = structuredClone(message);
  if (errors.length > 0) throw errors[0];
  return last;
}

/** What AG-UI's own client makes of the events, which it verifies. */
async function asMessages(parts: Part[]) {
  const encode = agUi();
  const body = parts.flatMap(encode).map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const fetch = async () => new Response(body.join(''), { headers: { 'content-type': 'text/event-stream' } });
  const agent = new HttpAgent({ url: 'http://nowhere.invalid', fetch });
  const errors: Error[] = [];
  await agent.runAgent({ runId: 'r' }, { onRunErrorEvent: ({ event }) => void errors.push(new Error(event.message)) });
  if (errors[0]) throw errors[0];
  return agent.messages;
}

const joined = (message: UIMessage | undefined, type: 'text' | 'reasoning') =>
  (message?.parts ?? []).map((part) => (part.type === type ? part.text : '')).join('');

describe.each([
  ['UI message stream', asUiMessage],
  ['AG-UI', asMessages],
])('%s', (_, read: (parts: Part[]) => Promise<unknown>) => {
  it('comes to the same message in any pieces', async () => {
    await fc.assert(
      fc.asyncProperty(answer, fc.array(fc.nat(5), { minLength: 1 }), async (steps, cuts) => {
        const whole = wholeParts(steps);
        expect(await read(cut(whole, cuts))).toEqual(await read(whole));
      }),
      { numRuns: 20 },
    );
  });
});

describe('what clients see', () => {
  const parts: Part[] = [
    { type: 'start', messageId: 'm', threadId: 't', runId: 'r' },
    { type: 'step-start' },
    { type: 'reasoning', delta: 'Hm.' },
    { type: 'text', delta: 'Let me ' },
    { type: 'text', delta: 'look.' },
    { type: 'tool-call', id: 'a', name: 'look', argumentsJson: '{"at":"sea"}' },
    { type: 'tool-approval', id: 'a', approvalId: '9' },
    { type: 'tool-call', id: 'b', name: 'look', argumentsJson: '{broken' },
    { type: 'tool-result', id: 'a', output: '{"waves":3}', isError: false },
    { type: 'tool-result', id: 'b', output: 'No such place.', isError: true },
    { type: 'step-end' },
    { type: 'data', name: 'mood', id: 'mood', data: { calm: true } },
    { type: 'step-start' },
    { type: 'text', delta: 'Three waves.' },
    { type: 'finish', reason: 'stop', metadata: { costUsd: 1 } },
  ];

  it('is one message of the AI SDK', async () => {
    const message = await asUiMessage(parts);
    expect(message).toMatchObject({ id: 'm', role: 'assistant', metadata: { costUsd: 1 } });
    expect(joined(message, 'text')).toBe('Let me look.Three waves.');
    expect(joined(message, 'reasoning')).toBe('Hm.');
    const tools = message?.parts.filter(({ type }) => type === 'dynamic-tool');
    expect(tools).toMatchObject([
      { toolCallId: 'a', toolName: 'look', state: 'output-available', input: { at: 'sea' }, output: { waves: 3 } },
      { toolCallId: 'b', state: 'output-error', errorText: 'No such place.' },
    ]);
    expect(message?.parts).toContainEqual({ type: 'data-mood', id: 'mood', data: { calm: true } });
  });

  it('is a conversation of AG-UI', async () => {
    const messages = await asMessages(parts);
    const said = messages.filter(({ role, content }) => role === 'assistant' && content).map(({ content }) => content);
    expect(said).toEqual(['Let me look.', 'Three waves.']);
    expect(messages.filter(({ role }) => role === 'tool')).toMatchObject([
      { toolCallId: 'a', content: '{"waves":3}' },
      { toolCallId: 'b', content: 'No such place.' },
    ]);
    expect(messages.flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []) : []))).toMatchObject([
      { id: 'a', function: { name: 'look', arguments: '{"at":"sea"}' } },
      { id: 'b', function: { arguments: '{broken' } },
    ]);
  });

  it('closes what is open when an answer fails or is stopped', async () => {
    const open = parts.slice(0, 4);
    const failed = [...open, { type: 'error' as const, message: 'It broke.', code: 'PROVIDER_ERROR' }];
    expect(failed.flatMap(uiMessageStream()).slice(-3)).toEqual([
      { type: 'text-end', id: 'text-1' },
      { type: 'finish-step' },
      { type: 'error', errorText: 'It broke.' },
    ]);
    await expect(asUiMessage(failed)).rejects.toThrow('It broke.');
    await expect(asMessages(failed)).rejects.toThrow('It broke.');
    const stopped = [...open, { type: 'abort' as const, reason: 'Enough.' }];
    expect(joined(await asUiMessage(stopped), 'text')).toBe('Let me ');
    expect((await asMessages(stopped)).at(-1)).toMatchObject({ content: 'Let me ' });
  });
});
