import { expect, it } from 'vitest';
import { unit } from '../../../models/embedders/vectors.ts';
import { createScope } from './scope.ts';

/** The same numbers in every run. */
function random(seed: number) {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32 - 0.5;
  };
}

function exact(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

it.each([
  ['spread evenly', 64, 0],
  ['close to one another', 100, 0.98],
  ['of one direction but for a hair', 384, 0.9999],
] as const)('proposes all of the nearest: %s', (_how, dimensions, sameness) => {
  const next = random(7);
  const vectorOf = () => Array.from({ length: dimensions }, next);
  const middle = vectorOf();
  const point = () => unit(vectorOf().map((one, at) => one * (1 - sameness) + (middle[at] as number) * sameness));
  const vectors = Array.from({ length: 600 }, point);
  const scope = createScope(dimensions, 10);
  for (const [id, vector] of vectors.entries()) scope.put(id, vector);
  for (let question = 0; question < 5; question++) {
    const asked = point();
    const scores = vectors.map((one) => exact(one, asked));
    const best = [...scores.entries()].sort((a, b) => b[1] - a[1]).slice(0, 20);
    const found = new Map(scope.candidates(asked, 20).map(({ id, most }) => [id, most]));
    for (const [id, score] of best) expect(found.get(id)).toBeGreaterThanOrEqual(score);
  }
});
