// Data that a document shows can be read as it stands.
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { blocksOf } from '../support/documents.ts';

it.each([
  ['json', (text: string) => void JSON.parse(text)],
  ['yaml', (text: string) => void parse(text)],
])('blocks of %s can be read', (language, read) => {
  const blocks = blocksOf(language);
  expect(blocks.length).toBeGreaterThan(1);
  for (const { where, text } of blocks) expect(() => read(text), where).not.toThrow();
});
