import { expect, it } from 'vitest';
import { Fault } from './fault.ts';

it('is one text for who sees no fields', () => {
  expect(new Fault('GONE', 'It is over.', { hint: 'Begin anew.' }).text).toBe('It is over. Begin anew.');
  expect(new Fault('GONE', 'It is over.').text).toBe('It is over.');
});
