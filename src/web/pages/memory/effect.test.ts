import { expect, it } from 'vitest';
import { dayMs, effectOf } from './effect.ts';

const now = Date.parse('2026-06-30T12:00:00Z');
const asked = (daysAgo: number) => ({ createdAtUtc: new Date(now - daysAgo * dayMs).toISOString() });

it('counts questions before a rule and since, a week', () => {
  const since = now - 14 * dayMs;
  const effect = effectOf([asked(1), asked(15), asked(16), asked(16), asked(300)], since, now, 28);
  expect([effect.beforeAWeek, effect.afterAWeek]).toEqual([0.75, 0.5]);
  expect(effect.before.map(({ value }) => value).sort()).toEqual([1, 2]);
  expect(effect.after).toHaveLength(1);
  expect(effect.days).toHaveLength(43);
});

it('says nothing of a time that has not passed', () => {
  expect(effectOf([], now, now, 28).afterAWeek).toBeNull();
});
