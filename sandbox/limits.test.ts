import { expect, test } from 'vitest';
import { defaultLimits, resolveLimits } from './limits.ts';

test('what is left out has its default, and the ceiling caps wishes and defaults alike', () => {
  const limits = resolveLimits({ memoryBytes: 4e9, pids: 64 }, { memoryBytes: 1e9, cpus: 0.5 });
  expect(limits).toEqual({ ...defaultLimits, memoryBytes: 1e9, pids: 64, cpus: 0.5 });
});

test('a limit under which no command could start is refused', () => {
  expect(() => resolveLimits({ pids: 1 })).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  expect(() => resolveLimits({ cpus: Number.NaN })).toThrow(/cpus/);
});
