// Whatever pieces an answer comes in, its chunks, its response and the place where it stops are the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelEvent } from '../../../runtime/model.ts';
import { chunkWriter, collectCompletion } from './completion.ts';
import { ResponseBody } from './contract.ts';
import { type ResponseEvent, responseWriter } from './response.ts';
import { stopAt } from './stop.ts';

const usage = {
  promptTokens: 3,
  completionTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 1,
  costUsd: 0,
};
const finish: ModelEvent = { type: 'finish', reason: 'stop', usage, modelId: 'a:b' };
const text = fc.string({ unit: fc.constantFrom('a', 'b', '#', '🌊', '"'), maxLength: 12 });
const cuts = fc.array(fc.nat(12), { maxLength: 6 });

function pieces(whole: string, at: readonly number[]): string[] {
  const edges = [0, ...at.map((one) => one % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return edges.slice(1).flatMap((end, n) => whole.slice(edges[n], end) || []);
}

function answer({ thought, said, input }: { thought: string; said: string; input: string }, at: readonly number[]) {
  const call = { id: 'call_1', name: 'look', argumentsJson: input };
  const start: ModelEvent = { type: 'start', modelId: 'a:b' };
  const events: ModelEvent[] = [
    start,
    ...pieces(thought, at).map((delta): ModelEvent => ({ type: 'reasoning', delta })),
    ...pieces(said, at).map((delta): ModelEvent => ({ type: 'text', delta })),
    ...pieces(input, at).map(
      (delta): ModelEvent => ({ type: 'tool-arguments', toolCallId: 'call_1', toolName: 'look', delta }),
    ),
    { type: 'tool-call', call },
    { ...finish, reason: 'tool-calls' } as ModelEvent,
  ];
  return events;
}

async function* stream<T>(items: T[]): AsyncGenerator<T> {
  yield* items;
}

const words = fc.record({ thought: text, said: text, input: text });

interface Delta {
  content?: string;
  reasoning_content?: string;
  tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
}

describe('an answer in any pieces', () => {
  it('is the same chat completion, streamed or whole', async () => {
    await fc.assert(
      fc.asyncProperty(words, cuts, async (whole, at) => {
        const write = chunkWriter(7, { includeUsage: true });
        const chunks = answer(whole, at)
          .flatMap(write)
          .map((json) => JSON.parse(json));
        const deltas = chunks.flatMap(({ choices }): Delta[] => choices.map(({ delta }: { delta: Delta }) => delta));
        expect(deltas.map(({ content }) => content ?? '').join('')).toBe(whole.said);
        expect(deltas.map((delta) => delta.reasoning_content ?? '').join('')).toBe(whole.thought);
        const calls = deltas.flatMap(({ tool_calls }) => tool_calls ?? []);
        expect(calls.filter(({ id }) => id)).toMatchObject([{ index: 0, id: 'call_1', function: { name: 'look' } }]);
        expect(calls.map((call) => call.function.arguments).join('')).toBe(whole.input);
        expect(chunks.at(-2).choices[0].finish_reason).toBe('tool_calls');
        const collected = await collectCompletion(stream(answer(whole, at)), 7);
        expect(collected.usage).toEqual(chunks.at(-1).usage);
        expect(collected.choices[0]?.message).toMatchObject({
          content: whole.said || null,
          tool_calls: [{ id: 'call_1', function: { name: 'look', arguments: whole.input } }],
        });
      }),
    );
  });

  it('is the same response, and its events tell all of it, numbered', () => {
    fc.assert(
      fc.property(words, cuts, (whole, at) => {
        const body = ResponseBody.parse({ model: 'a:b', input: 'x' });
        const writer = responseWriter(body, () => 7000);
        const events: ResponseEvent[] = [...writer.begin(), ...answer(whole, at).flatMap(writer.write)];
        expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, n) => n));
        const told = (type: string) => events.map((one) => (one.type === type ? one.delta : '')).join('');
        expect(told('response.output_text.delta')).toBe(whole.said);
        expect(told('response.reasoning_summary_text.delta')).toBe(whole.thought);
        expect(told('response.function_call_arguments.delta')).toBe(whole.input);
        const opened = events.filter(({ type }) => type === 'response.output_item.added').length;
        const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
        expect(done).toHaveLength(opened);
        expect(writer.response.output).toEqual(done);
        expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output: done } });
        expect(writer.message()).toMatchObject({ content: whole.said, toolCalls: [{ argumentsJson: whole.input }] });
      }),
    );
  });

  it('stops before the first stop text, and nowhere else', async () => {
    const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '#'), minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(text, cuts, stops, async (whole, at, all) => {
        const events = [...pieces(whole, at).map((delta): ModelEvent => ({ type: 'text', delta })), finish];
        let said = '';
        let ends = 0;
        for await (const event of stopAt(stream(events), all, async () => usage)) {
          if (event.type === 'text') said += event.delta;
          if (event.type === 'finish') ends++;
        }
        // A model stops as soon as one of them is there.
        const there = (end: number) => all.filter((stop) => whole.slice(0, end).endsWith(stop));
        const end = Array.from({ length: whole.length + 1 }, (_, at) => at).find((at) => there(at).length > 0);
        const longest = end === undefined ? 0 : Math.max(...there(end).map((stop) => stop.length));
        expect(said).toBe(end === undefined ? whole : whole.slice(0, end - longest));
        expect(ends).toBe(1);
      }),
      { examples: [['ab#', [], ['ab#', 'b']]] },
    );
  });
});
