// A run read as one answer: however its deltas were cut, joined or lost, its words are the same, each once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Part } from '../../formats/parts.ts';
import { runParts } from './run-parts.ts';

interface Event {
  type: string;
  data: unknown;
}

const subject = { id: 7, rootRunId: 3, endsFrom: 1000 };
const ended = (status: string, at = 1000) => ({
  type: 'run.ended',
  data: {
    id: 7,
    status,
    completedAtUtc: new Date(at).toISOString(),
    failureReason: status === 'Failed' ? 'It broke.' : null,
  },
});
const logged = (type: string, more: object = {}): Event => ({
  type: 'run.event',
  data: { type, message: null, toolCallId: null, toolName: null, payloadJson: null, ...more },
});
const delta = (text: string, kind = 'Content'): Event => ({ type: 'run.delta', data: { kind, delta: text } });
const gap = { type: 'stream.gap', data: {} };

function read(events: Event[]): Part[] {
  return events.flatMap(runParts(subject));
}

/** Parts with neighbouring words joined. */
function joined(parts: Part[]): Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.type === 'text' && last?.type === 'text')
      all[all.length - 1] = { type: 'text', delta: last.delta + part.delta };
    else all.push(part);
  }
  return all;
}

const turn = fc.record({
  words: fc.string({ minLength: 1, maxLength: 30 }),
  cuts: fc.array(fc.nat(30)),
  lost: fc.boolean(),
});

describe('a run as one answer', () => {
  it('says each word once, whatever became of the deltas', () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), (turns) => {
        const tell = (withDeltas: boolean) =>
          turns.flatMap(({ words, cuts, lost }) => {
            const edges = [0, ...cuts.map((at) => at % words.length).sort((a, b) => a - b), words.length];
            const pieces = edges.slice(1).map((end, at) => words.slice(edges[at], end));
            const heard = pieces.filter((piece) => piece !== '').map((piece) => delta(piece));
            return [
              logged('IterationStarted'),
              ...(withDeltas ? (lost ? [...heard.slice(0, 0), gap, ...heard.slice(1)] : heard) : [gap]),
              logged('ModelCallCompleted', { message: words }),
            ];
          });
        const whole = joined(read([...tell(false), ended('Completed')]));
        expect(joined(read([...tell(true), ended('Completed')]))).toEqual(whole);
        const said = whole.flatMap((part) => (part.type === 'text' ? [part.delta] : []));
        expect(said).toEqual(turns.map(({ words }) => words));
      }),
    );
  });

  it('gives tool calls ids of their own, though a server counts them anew in each turn', () => {
    const call = { toolCallId: 'call_1', toolName: 'look', payloadJson: '{"argumentsJson":"{\\"at\\":1}"}' };
    const events = [1, 2].flatMap((result) => [
      logged('IterationStarted'),
      logged('ToolCallStarted', call),
      logged(result === 1 ? 'ToolCallCompleted' : 'ToolCallFailed', { ...call, message: `result ${result}` }),
    ]);
    expect(read(events).filter(({ type }) => type.startsWith('tool'))).toEqual([
      { type: 'tool-call', id: 'call_1', name: 'look', argumentsJson: '{"at":1}' },
      { type: 'tool-result', id: 'call_1', output: 'result 1', isError: false },
      { type: 'tool-call', id: 'call_1-2', name: 'look', argumentsJson: '{"at":1}' },
      { type: 'tool-result', id: 'call_1-2', output: 'result 2', isError: true },
    ]);
  });

  it('ends as the run ends, and not where it was taken up again', () => {
    expect(read([ended('Failed', 999), delta('more'), ended('Completed')]).map(({ type }) => type)).toEqual([
      'start',
      'text',
      'finish',
    ]);
    expect(read([ended('Failed')]).at(-1)).toEqual({ type: 'error', message: 'It broke.', code: 'Failed' });
    expect(read([ended('Cancelled')]).at(-1)).toMatchObject({ type: 'abort' });
  });

  it('begins a new step where a model call broke off in the middle', () => {
    const events = [
      logged('IterationStarted'),
      delta('Ha'),
      logged('ModelCallFailed'),
      delta('Half'),
      logged('ModelCallCompleted', { message: 'Half' }),
    ];
    expect(read(events).map((part) => (part.type === 'text' ? part.delta : part.type))).toEqual([
      'start',
      'step-start',
      'Ha',
      'step-end',
      'step-start',
      'Half',
    ]);
  });
});
