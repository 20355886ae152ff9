import { expect, test } from 'vitest';
import { createIgnoring, parseIgnore } from './ignore.ts';

/** Whether the rules of the top folder leave a path out; a folder's path ends with a slash. */
function ignores(text: string, path: string, work?: number): boolean {
  const ignoring = createIgnoring(work);
  ignoring.enter('', parseIgnore(text));
  const isFolder = path.endsWith('/');
  const bare = isFolder ? path.slice(0, -1) : path;
  return ignoring.isIgnored({ path: bare, name: bare.slice(bare.lastIndexOf('/') + 1), isFolder });
}

test.each([
  ['build', 'build', true],
  ['build', 'a/b/build', true],
  ['build/', 'build', false],
  ['build/', 'a/build/', true],
  ['/build', 'a/build', false],
  ['/build', 'build', true],
  ['a/b', 'x/a/b', false],
  ['a/b', 'a/b', true],
  ['*.log', 'deep/down/x.log', true],
  ['*.log\n!keep.log', 'keep.log', false],
  ['!keep.log\n*.log', 'keep.log', true],
  ['doc/*.txt', 'doc/a/b.txt', false],
  ['doc/**/*.txt', 'doc/a/b.txt', true],
  ['doc/**/*.txt', 'doc/b.txt', true],
  ['**/foo', 'a/b/foo', true],
  ['foo/**', 'foo/a/b', true],
  ['***/foo', 'foo', true],
  ['***/foo', 'a/b/foo', true],
  ['foo/**', 'foo/', false],
  ['a**b', 'a/b', false],
  ['a**b', 'axxb', true],
  ['file[0-9].txt', 'file7.txt', true],
  ['file[!0-9].txt', 'file7.txt', false],
  ['file[[:alpha:]].txt', 'filex.txt', true],
  ['[]]', ']', true],
  ['[a', '[a', false],
  ['\\#real', '#real', true],
  ['# no', '# no', false],
  ['\\!bang', '!bang', true],
  ['end\\ ', 'end ', true],
  ['end   ', 'end', true],
  ['crlf\r\nx', 'crlf', true],
  ['\uFEFFfirst', 'first', true],
  ['a?c', 'a/c', false],
  ['back\\\\slash', 'back\\slash', true],
  ['x.y', 'xzy', false],
])('%j speaks of %j: %s', (text, path, expected) => {
  expect(ignores(text, path)).toBe(expected);
});

test('the rules of a folder beat those above it, and end with it', () => {
  const ignoring = createIgnoring();
  const file = (path: string) => ({ path, name: path.slice(path.lastIndexOf('/') + 1), isFolder: false });
  ignoring.enter('', parseIgnore('*.log\n'));
  ignoring.enter('a', parseIgnore('!*.log\n/only\n'));
  expect(ignoring.isIgnored(file('a/x.log'))).toBe(false);
  expect(ignoring.isIgnored(file('a/only'))).toBe(true);
  expect(ignoring.isIgnored(file('b/x.log'))).toBe(true);
  expect(ignoring.isIgnored(file('only'))).toBe(false);
});

test('rules that would cost more than they may are not asked any more', () => {
  const name = 'a'.repeat(250);
  const hostile = `${'*a'.repeat(15)}b\n`.repeat(100);
  const ignoring = createIgnoring(750_000);
  ignoring.enter('', parseIgnore(`${name}\n${hostile}`));
  // Fifteen wildcards over 250 characters, a hundred rules: 0.4 million for each name.
  let asked = 0;
  while (!ignoring.isSpent && asked < 100) {
    ignoring.isIgnored({ path: name, name, isFolder: false });
    asked += 1;
  }
  expect(asked).toBeLessThan(5);
  expect(ignores('*.log', 'x.log', 0)).toBe(false);
});
