import { expect, it } from 'vitest';
import { oneLine } from './one-line.ts';

it.each([
  ['**Rivers** and `code`\nand *the* _sea_', 'Rivers and code and the sea'],
  ['# A heading', 'A heading'],
  ['> Shall I?', 'Shall I?'],
  ['Set OPENAI_API_KEY, or call `shell_exec`', 'Set OPENAI_API_KEY, or call shell_exec'],
  ['__All__ of snake_case_names_ and _private', 'All of snake_case_names and private'],
  ['issue #4, 3 * 4 > 11', 'issue #4, 3 * 4 > 11'],
])('%j is %j in one line', (text, expected) => {
  expect(oneLine(text)).toBe(expected);
});
