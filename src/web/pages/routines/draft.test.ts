import { expect, it } from 'vitest';
import { isWhole, writtenOf } from './draft.ts';

it('a routine is saved once it has all that its schedule takes', () => {
  const whole = { ...writtenOf(), name: 'Tide', brief: 'Look.' };
  expect(isWhole(whole)).toBe(true);
  expect(isWhole({ ...whole, brief: ' ' })).toBe(false);
  expect(isWhole({ ...whole, cron: '' })).toBe(false);
  expect(isWhole({ ...whole, kind: 'Once' })).toBe(false);
  expect(isWhole({ ...whole, kind: 'Once', once: '2030-01-01T10:00', cron: '' })).toBe(true);
  expect(isWhole({ ...whole, kind: 'Interval', interval: '0' })).toBe(false);
  expect(isWhole({ ...whole, kind: 'Manual', cron: '' })).toBe(true);
});
