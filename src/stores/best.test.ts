import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Best } from './best.ts';

it('tells the smallest of the largest at every step, and never drops one of them by its floor', () => {
  const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 7 }), numbers, (limit, values) => {
      const best = new Best(limit);
      for (const [at, value] of values.entries()) {
        best.add(value);
        const largest = values.slice(0, at + 1).sort((a, b) => b - a);
        const last = largest[limit - 1] ?? Number.NEGATIVE_INFINITY;
        expect(best.floor).toBeLessThanOrEqual(last);
        if (at % 3 === 0) expect(best.last === last).toBe(true);
      }
    }),
  );
});
