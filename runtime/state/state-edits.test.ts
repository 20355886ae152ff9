import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/kernel/fault.ts';
import type { LogMessage } from '../message-log.ts';
import type { ModelMessage } from '../model.ts';
import { editState, type StateEdits, withoutOpenCalls } from './state-edits.ts';

const result = (id: string): ModelMessage => ({ role: 'tool', toolCallId: id, toolName: 'look', content: `saw ${id}` });
const asks = (...ids: string[]): ModelMessage => ({
  ...{ role: 'assistant', content: '', reasoning: 'hm', providerState: { signed: true } },
  toolCalls: ids.map((id) => ({ id, name: 'look', argumentsJson: '{}' })),
});
/** From index 4 on, as after a summary. */
const log = (...messages: ModelMessage[]): LogMessage[] =>
  messages.map((message, at) => ({ index: at + 4, iteration: at, message }));
const state = log(
  asks('a', 'b'),
  result('a'),
  result('b'),
  { role: 'user', content: 'Go on.' },
  asks('c'),
  result('c'),
);
const fault = (edits: StateEdits): Fault => {
  try {
    editState(state, edits);
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error('it was taken');
};

describe('edits of a state', () => {
  it('replace arguments of calls, whose results stay, and what the provider kept of the answer', () => {
    const argumentsJson = '{"at":"the door"}';
    const messages = [{ index: 4, text: 'I look.' }];
    const { entries, edited } = editState(state, { messages, calls: [{ index: 4, callId: 'b', argumentsJson }] });
    expect(entries[0]?.message).toEqual({
      ...{ role: 'assistant', content: 'I look.' },
      toolCalls: [
        { id: 'a', name: 'look', argumentsJson: '{}' },
        { id: 'b', name: 'look', argumentsJson },
      ],
    });
    expect(entries.slice(1)).toEqual(state.slice(1));
    expect(edited[1]).toEqual({ index: 4, role: 'assistant', toolName: 'look', before: '{}', after: argumentsJson });
    expect(state[0]?.message).toEqual(asks('a', 'b'));
    const wrong = (index: number, callId: string, argumentsJson: string) =>
      fault({ calls: [{ index, callId, argumentsJson }] });
    expect(wrong(4, 'x', '{}').hint).toContain('a, b');
    expect(wrong(5, 'a', '{}').message).toContain('makes no call a');
    expect(wrong(99, 'a', '{}').message).toContain('no message 99');
    for (const json of ['[]', '1', '{', 'null', '']) expect(wrong(4, 'a', json).message).toContain('no JSON object');
    const twice = { index: 4, callId: 'a', argumentsJson: '{}' };
    expect(fault({ calls: [twice, twice] }).message).toContain('twice');
    expect(fault({ dropFrom: 4, calls: [twice] }).message).toContain('left out');
  });

  it('replace texts, and with an answer what its provider kept of it; the state itself stays', () => {
    const before = structuredClone(state);
    const messages = [
      { index: 6, text: 'saw nothing' },
      { index: 4, text: 'I look.' },
    ];
    const { entries, edited, dropped } = editState(state, { messages });
    expect(entries[0]?.message).toEqual({
      ...{ role: 'assistant', content: 'I look.' },
      toolCalls: [expect.objectContaining({ id: 'a' }), expect.objectContaining({ id: 'b' })],
    });
    expect(entries[2]?.message).toEqual({ ...result('b'), content: 'saw nothing' });
    expect(edited).toEqual([
      { index: 6, role: 'tool', toolName: 'look', before: 'saw b', after: 'saw nothing' },
      { index: 4, role: 'assistant', toolName: null, before: '', after: 'I look.' },
    ]);
    expect(dropped).toBe(0);
    expect(state).toEqual(before);
  });

  it('keep images of a message whose text they replace', () => {
    const image = { type: 'image' as const, mediaType: 'image/png', data: new Uint8Array([1]) };
    const shown = log({ role: 'user', content: [{ type: 'text', text: 'this' }, image] });
    const { entries } = editState(shown, { messages: [{ index: 4, text: 'that' }] });
    expect(entries[0]?.message.content).toEqual([{ type: 'text', text: 'that' }, image]);
  });

  it('leave out a message and all after it, but never a result without its call', () => {
    expect(editState(state, { dropFrom: 7 })).toMatchObject({ dropped: 3, entries: state.slice(0, 3) });
    expect(editState(state, { dropFrom: 4 }).entries).toEqual([]);
    for (const [dropFrom, hint] of [
      [5, 'Give dropFrom 4 to leave out the calls as well, or 7 to keep the results.'],
      [6, 'Give dropFrom 4 to leave out the calls as well, or 7 to keep the results.'],
      [9, 'Give dropFrom 8 to leave out the calls as well.'],
    ] as const)
      expect(fault({ dropFrom })).toMatchObject({ code: 'VALIDATION_FAILED', hint });
  });

  it.each<[StateEdits, RegExp]>([
    [{ messages: [{ index: 3, text: 'x' }] }, /no message 3/],
    [{ dropFrom: 10 }, /no message 10/],
    [{ dropFrom: 7, messages: [{ index: 8, text: 'x' }] }, /8 is left out/],
    [{ messages: [{ index: 7, text: ' ' }] }, /7 would have no text/],
    [{ messages: [7, 7].map((index) => ({ index, text: 'x' })) }, /7 is edited twice/],
  ])('are refused with a hint: %j', (edits, message) => {
    const refused = fault(edits);
    expect(refused.message).toMatch(message);
    expect(refused.hint).toBeTruthy();
  });
});

it('calls without results are no part of a state', () => {
  expect(withoutOpenCalls(state.slice(0, 5))).toEqual(state.slice(0, 4));
  expect(withoutOpenCalls(state)).toEqual(state);
});
