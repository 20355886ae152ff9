import { describe, expect, it } from 'vitest';
import type { ToolCall, Turn } from '../timeline/timeline.ts';
import { align, partingOf } from './steps.ts';

const said = (text: string, costUsd = 0): Turn =>
  ({ kind: 'turn', key: text, text, state: 'done', costUsd, modelId: `m${costUsd}` }) as Turn;
const called = (args: string, result = 'ok', callId = 'c'): ToolCall =>
  ({ kind: 'tool', key: callId, callId, name: 'file_write', args, result, state: 'done' }) as ToolCall;
const shape = (rows: ReturnType<typeof align>) =>
  rows.map(({ kind, left, right }) => `${kind} ${left?.key ?? '-'} ${right?.key ?? '-'}`);

describe('steps of two runs', () => {
  it('are the same whatever they cost, which ids they have and in which order arguments are written', () => {
    const left = [said('a', 1), called('{"path":"x","content":{"b":1,"a":2}}', 'ok', 'c1')];
    const right = [said('a', 2), called('{ "content": {"a":2,"b":1}, "path": "x" }', 'ok', 'c2')];
    expect(partingOf(align(left, right))).toBe(-1);
  });

  it('part where what was said, an argument or a result differs', () => {
    expect(partingOf(align([said('a'), said('b')], [said('a'), said('c')]))).toBe(1);
    expect(partingOf(align([called('{"a":1}')], [called('{"a":2}')]))).toBe(0);
    expect(partingOf(align([said('a'), called('{}')], [said('a'), called('{}', 'other')]))).toBe(1);
  });

  it('stand beside what they replace, alone where the other run has none, and meet again', () => {
    const left = [said('a'), said('b'), said('z')];
    expect(shape(align(left, [said('a'), said('c'), said('d'), said('z')]))).toEqual([
      'same a a',
      'different b c',
      'different - d',
      'same z z',
    ]);
    expect(shape(align(left, [said('a')]))).toEqual(['same a a', 'different b -', 'different z -']);
    expect(align([], [])).toEqual([]);
  });
});
