import { describe, expect, it } from 'vitest';
import { createNearness } from './near.ts';
import { nextVersion } from './populate.ts';

const words = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `word${from + at}`).join(' ');

describe('doubles', () => {
  it('are texts with nearly the same words, not those that differ in a number or a negation', () => {
    const near = createNearness();
    const text = `The heron stands still in the shallow water near the old mill and waits for fish ${words(20)}`;
    expect(near.add(text)).toBe(true);
    expect(near.add(text)).toBe(false);
    expect(near.add(`${text} today`)).toBe(false);
    expect(near.add(`${text} never`)).toBe(true);
    expect(near.add(`${text} 7`)).toBe(true);
    expect(near.add('Something else altogether about trains')).toBe(true);
  });

  it('are found among many', () => {
    const near = createNearness();
    for (let at = 0; at < 400; at++) near.add(`${words(30, at * 7)} item`);
    expect(near.add(`${words(30, 700)} item again`)).toBe(false);
  });
});

it.each([
  ['1.0.9', '1.0.10'],
  ['beta', 'beta.2'],
  ['v2', 'v3'],
])('the version after %s is %s', (version, next) => expect(nextVersion(version)).toBe(next));
