// Pages that are made to take the time of the server are refused, or take no more than their length.
import { expect, it } from 'vitest';
import { htmlText } from './html-text.ts';

const mb = 2 ** 20;

it('an answer of spaces, or of tags that close nothing, takes no more than its length', () => {
  expect(htmlText(`${' '.repeat(4 * mb)}x`)).toBe('x');
  expect(() => htmlText('<b>'.repeat(mb) + '</i>'.repeat(mb))).toThrow(/within each other/);
});
