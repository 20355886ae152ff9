import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasMark, withMarks } from './marks.ts';

test('marks are found in any version of a list, however long, whichever follows which', () => {
  const step = fc.record({ from: fc.nat(), marks: fc.array(fc.nat(99).map(String), { minLength: 10, maxLength: 30 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.array(fc.nat(99).map(String)), (steps, asked) => {
      const lists: string[][] = [[]];
      for (const { from, marks } of steps) {
        const seen = lists[from % lists.length]!;
        const next = withMarks(seen, ...marks);
        expect(next).toEqual([...seen, ...marks]);
        lists.push(next);
        for (const list of [seen, next]) {
          const found = asked.map((mark) => hasMark(list, mark));
          expect(found).toEqual(asked.map((mark) => list.includes(mark)));
        }
      }
    }),
  );
});
