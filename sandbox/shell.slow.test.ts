import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellCommand, shellQuote } from './shell.ts';

test('quoted words reach the program unchanged', () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll('\0', '').toWellFormed());
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), (words) => {
      const output = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${words.map(shellQuote).join(' ')}`]);
      expect(output.toString().split('\0').slice(0, -1)).toEqual(words);
    }),
    { numRuns: 5 },
  );
});

test('a command line runs in a shell and its exit code comes back', () => {
  const [shell = '', ...args] = shellCommand('echo "a  b"; (exit 3) || echo $?');
  expect(execFileSync(shell, args).toString()).toBe('a  b\n3\n');
});
