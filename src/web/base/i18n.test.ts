import { afterEach, beforeEach, expect, it, vi } from 'vitest';

beforeEach(() => vi.resetModules());
afterEach(() => vi.unstubAllGlobals());

const textsFor = (language: string) => {
  vi.stubGlobal('navigator', { language });
  return import('./i18n.ts');
};

it.each(['C', 'en-US@posix', ''])(
  'writes figures and dates in English where the reader’s locale is %j, which is no language',
  async (language) => {
    const { formatNumber, formatDay } = await textsFor(language);
    expect(formatNumber(12_345)).toBe('12,345');
    expect(formatDay('2026-11-29T12:00:00')).toBe('Nov 29, 2026');
  },
);

it('writes them as the reader’s language has them', async () => {
  const { formatNumber } = await textsFor('de');
  expect(formatNumber(12_345)).toBe('12.345');
});

it('shows the hour after midnight as 00', async () => {
  const { formatClock } = await textsFor('en-US');
  expect(formatClock('2026-11-29T00:05:06')).toBe('00:05:06');
});
