import fc from 'fast-check';
import { expect, it } from 'vitest';
import { day, periodAt, periodFrom, periodOf, projected } from './periods.ts';

const at = (text: string) => Date.parse(`${text}T00:00:00Z`);
const shown = (ms: number) => new Date(ms).toISOString().slice(0, 10);

it('falls on the last day of months that are too short, and back on the anchor after them', () => {
  const ends: string[] = [];
  let period = periodFrom(at('2027-12-31'), 31);
  for (let n = 0; n < 5; n++, period = periodFrom(period.end, 31)) ends.push(shown(period.end));
  expect(ends).toEqual(['2028-01-31', '2028-02-29', '2028-03-31', '2028-04-30', '2028-05-31']);
});

it('begins between anchors with a shorter period, which costs its share', () => {
  const { start, end, full } = periodFrom(at('2026-11-29'), 1);
  expect([shown(start), shown(end)]).toEqual(['2026-11-29', '2026-12-01']);
  expect([(end - start) / day, full / day]).toEqual([2, 30]);
});

it('is a whole one from anchor to anchor', () => {
  const { start, end, full } = periodAt(at('2026-03-15') + 1, 10);
  expect([shown(start), shown(end)]).toEqual(['2026-03-10', '2026-04-10']);
  expect(full).toBe(end - start);
  expect(periodAt(at('2026-03-10'), 10).start).toBe(start);
});

it('leaves no gap and no overlap, whatever the anchor and the time', () => {
  const times = fc.integer({ min: at('2020-01-01'), max: at('2060-01-01') });
  fc.assert(
    fc.property(times, times, fc.integer({ min: 1, max: 31 }), (a, b, anchorDay) => {
      const first = periodAt(Math.min(a, b), anchorDay);
      const last = periodOf(first, anchorDay, Math.max(a, b));
      expect(last).toEqual(periodAt(Math.max(a, b), anchorDay));
      const next = periodFrom(last.end, anchorDay);
      expect(next.start).toBe(last.end);
      expect((next.end - next.start) / day).toBeGreaterThanOrEqual(28);
      expect(next.full).toBe(next.end - next.start);
    }),
  );
});

it('projects what was used to the end, not from the first moments, and not beyond the end', () => {
  const period = { start: 0, end: 1000 };
  expect(projected(10, period, 5)).toBe(10);
  expect(projected(10, period, 250)).toBe(40);
  expect(projected(10, period, 1000)).toBe(10);
  expect(projected(10, period, 5000)).toBe(10);
});
