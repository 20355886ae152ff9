import { describe, expect, it } from 'vitest';
import { driftOf, type Pull, wilson } from './drift.ts';

const at = (day: number) => new Date(Date.UTC(2026, 0, day));
const pull = (day: number, wasResisted: boolean): Pull => ({ at: at(day), wasResisted, compulsionType: 'Verbosity' });

describe('persona drift', () => {
  it('is told for each soul, and for the time before the first', () => {
    const souls = [
      { id: 11, number: 1, since: at(5) },
      { id: 12, number: 2, since: at(10) },
    ];
    const told = driftOf(souls, [pull(1, true), pull(5, true), pull(6, false), pull(10, false)]);
    expect(told.map(({ soulNumber, resisted, reflections }) => [soulNumber, resisted, reflections])).toEqual([
      [null, 1, 1],
      [1, 1, 2],
      [2, 0, 1],
    ]);
    expect(told[1]).toMatchObject({
      ...{ fromUtc: at(5).toISOString(), toUtc: at(10).toISOString(), resistanceRate: 0.5 },
      compulsionBreakdown: { Verbosity: 2 },
    });
    expect(told[2]?.toUtc).toBeNull();
  });

  it('has no rate where nothing was felt', () => {
    expect(driftOf([{ id: 1, number: 1, since: at(1) }], [])).toMatchObject([
      { reflections: 0, resistanceRate: null, low: null, high: null },
    ]);
    expect(driftOf([], [])).toEqual([]);
  });

  // Eight of ten: 49.0 % to 94.3 %.
  it('says within which bounds a rate lies', () => {
    const { low, high } = wilson(8, 10);
    expect(low).toBeCloseTo(0.4902, 3);
    expect(high).toBeCloseTo(0.9433, 3);
    expect(wilson(0, 3).low).toBe(0);
    expect(wilson(3, 3).high).toBe(1);
  });
});
