import { expect, it } from 'vitest';
import { factorOf, factorsOf } from './factors.ts';

const now = Date.UTC(2026, 0, 1);
const dayMs = 24 * 60 * 60_000;

it.each([undefined, { importance: 0.2, recency: 0 }, { importance: 9, recency: -1 }])(
  'a factor is the product of the parts that a hit tells: %o',
  (weights) => {
    for (const provenance of ['Observed', 'Reported', 'Generated'] as const)
      for (const importance of [-1, 0, 3, 10, 12])
        for (const days of [-2, 0, 40]) {
          const memory = { provenance, importance, accessCount: 3, createdAt: new Date(now - days * dayMs) };
          const parts = factorsOf(memory, now, weights);
          expect(factorOf(memory, now, weights)).toBe(parts.reduce((all, { value }) => all * value, 1));
          expect(parts).toHaveLength(provenance === 'Observed' ? 3 : 4);
        }
  },
);

it('what was told by others stays below what was seen, however new, used and important it is', () => {
  const told = { provenance: 'Reported', importance: 10, accessCount: 1e9, createdAt: new Date(now) } as const;
  const seen = { provenance: 'Observed', importance: 0, accessCount: 0, createdAt: new Date(0) } as const;
  expect(factorOf(told, now)).toBeLessThanOrEqual(factorOf(seen, now) * (1 + 1e-9));
});
