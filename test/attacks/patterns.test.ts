// Nobody can stop the server with a pattern: all that come from outside are matched in time linear in the text.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { globMatcher, literalMatcher, namedBy, quote } from '../../src/kernel/patterns.ts';

const root = resolve(import.meta.dirname, '../..');
/** Far above what all take together, far below the hours that any one of them took. */
const limitMs = 60_000;

test('hostile patterns and hostile texts end', async () => {
  const script = join(import.meta.dirname, 'scenes/hostile-patterns.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script], {
    cwd: root,
    timeout: limitMs,
    killSignal: 'SIGKILL',
  }).catch((error: { stdout: string }) => error);
  expect(stdout.trim().split('\n')).toEqual([
    'globs of file lists',
    'filters of lists',
    'lists of tools',
    'lists of hosts',
    'templates of roles',
    'placeholders of scenarios',
    'votes of councils',
  ]);
});

test('no regular expression is compiled from a variable', () => {
  const compiling = ['src', 'runtime', 'sandbox'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
      .map((name) => `${folder}/${name}`)
      .filter((path) => /\bRegExp\(/.test(readFileSync(join(root, path), 'utf8'))),
  );
  expect(compiling).toEqual([
    // Made of a constant: a file may not hold the escape character itself.
    'src/cli/terminal.ts',
    // Made of names of fields that its caller lists.
    'src/kernel/flat-text.ts',
    'src/kernel/text-cuts.ts',
    // Made of lengths.
    'src/markdown/formulas.ts',
    'src/markdown/limits.ts',
    // Made of constants: lists of words and of tokens' beginnings.
    'src/scrub/assignments.ts',
    'src/scrub/contacts.ts',
    'src/scrub/passages.ts',
    'src/scrub/tokens.ts',
    // Made of a search's words with every character quoted: it finds what the stores' own search would find.
    'src/groups/memories/sealed-list.ts',
    // Made of constants: a word of a name stands in it twice.
    'src/memory/graph/extract.ts',
    // Made of the name of an index's column.
    'src/stores/embedded/read-plan.ts',
    // Made of one letter, to be folded as patterns fold it.
    'src/stores/embedded/texts.ts',
    // Made of the names of two fields.
    'src/stream/brokers/redis/open.ts',
  ]);
});

test('globs mean what they always meant', () => {
  const cases: [string, string, boolean][] = [
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/b/c/a.ts', true],
    ['**/a?.ts', 'ab.ts', true],
    ['**/a?.ts', 'x/a/.ts', false],
    ['a**z', 'a/b/z', true],
    ['*', '.hidden', true],
    ['*', 'two\nlines', true],
    ['[a]{b}(c)|d+.^$\\', '[a]{b}(c)|d+.^$\\', true],
    ['a.c', 'abc', false],
    ['ü*', 'über', true],
  ];
  for (const [glob, path, matches] of cases)
    expect([glob, path, globMatcher(glob)(path)]).toEqual([glob, path, matches]);
});

test('texts are found as the engine of the language finds them', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'aAbk*.^$\\sSſKßẞσςΣıİiI\n\u{10400}\u{10428}'), maxLength: 6 });
  fc.assert(
    fc.property(letters, letters, fc.boolean(), fc.boolean(), fc.boolean(), (text, wanted, start, end, ignoresCase) => {
      const pattern = `${start ? '^' : ''}${quote(wanted)}${end ? '$' : ''}`;
      const expected = new RegExp(pattern, ignoresCase ? 'iu' : 'u').test(text);
      expect(literalMatcher(pattern, ignoresCase)(text)).toBe(expected);
    }),
    { numRuns: 3000 },
  );
});

test('a name, its beginning with a star, or a star alone', () => {
  expect(['shell_exec', 'shell_*', '*', 'shell_', 'exec'].map((pattern) => namedBy(pattern, 'shell_exec'))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
