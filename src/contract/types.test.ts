// Scalar types of the interface that hold more than their format says.
import { expect, test } from 'vitest';
import { email } from './types.ts';

test('an e-mail address has parts that mail servers take', () => {
  const domain = `${'d'.repeat(63)}.${'e'.repeat(63)}.org`;
  const taken = ['iris@example.org', `${'x'.repeat(64)}@example.org`, `iris@${domain}`];
  const refused = ['iris', 'a@b@example.org', `${'x'.repeat(65)}@example.org`, `iris@${'d'.repeat(64)}.org`];
  expect(taken.filter((one) => !email.safeParse(one).success)).toEqual([]);
  expect(refused.filter((one) => email.safeParse(one).success)).toEqual([]);
});

test('an address that is none is not said to have a part that is too long', () => {
  const said = (text: string) => email.safeParse(text).error?.issues.map(({ message }) => message) ?? [];
  expect(said('nonsense')).toEqual(['Invalid email address']);
  expect(said(`${'a'.repeat(65)}@example.org`)).toEqual(['has a part that is too long']);
  expect(said('ada@example.org')).toEqual([]);
});
