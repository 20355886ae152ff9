// A comment begins with the name of its thing: a pronoun there makes a riddle of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesIn, root } from '../support/sources.ts';

const pronoun = /^(?:It|They|Them|Those|Whoever)\b/;
const sources = filesIn(['src', 'runtime', 'sandbox', 'bench', 'scripts'], /\.tsx?$/);

/** Lines that begin a comment, each with its place; a line that goes on with one is left out. */
function beginnings(path: string): { where: string; words: string }[] {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  return lines.flatMap((line, at) => {
    const found = /^\s*(\/\*\*|\/\/) (.*)/.exec(line);
    const goesOn = found?.[1] === '//' && lines[at - 1]?.trimStart().startsWith('//');
    return found && !goesOn ? [{ where: `${path}:${at + 1}`, words: found[2] ?? '' }] : [];
  });
}

it('no comment begins with a pronoun', () => {
  const all = sources.flatMap(beginnings);
  expect(all.length).toBeGreaterThan(8000);
  expect(all.filter(({ words }) => pronoun.test(words)).map(({ where, words }) => `${where} ${words}`)).toEqual([]);
});
