import { expect, it } from 'vitest';
import { filterOf } from './filter.ts';

it('asks for the days that the address names, and for none where it names no day', () => {
  const asked = (query: string) => filterOf(new URLSearchParams(query)).asked;
  expect(asked('from=2026-11-01&to=2026-11-02')).toEqual({
    fromUtc: new Date('2026-11-01T00:00:00').toISOString(),
    toUtc: new Date('2026-11-02T23:59:59.999').toISOString(),
  });
  for (const day of ['abc', '2026-99-99', '20260-01-01']) expect(asked(`from=${day}&to=${day}`)).toEqual({});
});
