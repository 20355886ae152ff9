import { describe, expect, it } from 'vitest';
import { answerIn, askedAs, type Form, formOf } from './questions.ts';

const form = (properties: Record<string, unknown>, required: string[] = []) =>
  formOf({ message: 'Which one?', requestedSchema: { type: 'object', properties, required } as never }) as Form;
const about = { server: 'Harbour', tool: 'dock' };

describe('a form of a server', () => {
  it('is asked as a text, with what can be clicked', () => {
    const { situation, options } = askedAs(
      form({ berth: { type: 'string', enum: ['north', 'south'], description: 'Where to' } }, ['berth']),
      about,
    );
    expect(situation).toContain('Harbour asks this while dock is called');
    expect(situation).toContain('- berth (string; needed; one of north, south; Where to)');
    expect(options).toEqual(['north', 'south', 'decline']);
  });

  it.each([
    [{ berth: { type: 'string' } }, 'north', { berth: 'north' }],
    [{ n: { type: 'integer' } }, ' 7 ', { n: 7 }],
    [{ sure: { type: 'boolean' } }, 'yes', { sure: true }],
    [{ a: { type: 'string' }, n: { type: 'number' } }, '{"a":"x","n":1.5}', { a: 'x', n: 1.5 }],
    [{ a: { type: 'string' }, n: { type: 'number' } }, 'a: x: y\nn: 2', { a: 'x: y', n: 2 }],
    [{ a: { type: 'string' }, n: { type: 'number', default: 3 } }, 'a: x', { a: 'x', n: 3 }],
    [{ c: { type: 'array', items: { anyOf: [{ const: 'r' }, { const: 'g' }] } } }, 'r, g', { c: ['r', 'g'] }],
    [{ b: { type: 'string', oneOf: [{ const: 'n', title: 'North' }] } }, 'n', { b: 'n' }],
    [{}, 'accept', {}],
  ])('of %j is answered by %j', (properties, words, content) => {
    expect(answerIn(form(properties), words)).toEqual({ answer: { action: 'accept', content } });
  });

  it.each([
    [{ n: { type: 'integer' } }, 'seven'],
    [{ berth: { type: 'string', enum: ['north'] } }, 'west'],
    [{ mail: { type: 'string', format: 'email' } }, 'nobody'],
    [{ a: { type: 'string' }, b: { type: 'string' } }, 'something'],
    [{ a: { type: 'string' }, b: { type: 'string' } }, '{"a":"1","c":"2"}'],
  ])('of %j is not answered by %j', (properties, words) => {
    expect(answerIn(form(properties), words)).toEqual({ problem: expect.not.stringContaining('data') });
  });

  it('may be declined, and nobody answering cancels it', () => {
    expect(answerIn(form({ a: {} }), 'Decline')).toEqual({ answer: { action: 'decline' } });
    expect(answerIn(form({ a: {} }), null)).toEqual({ answer: { action: 'cancel' } });
  });

  it('brings no pattern along that never ends', () => {
    const slow = form({ a: { type: 'string', pattern: '^(a+)+$' } });
    expect(answerIn(slow, `${'a'.repeat(40)}!`)).toMatchObject({ answer: { action: 'accept' } });
  });
});
