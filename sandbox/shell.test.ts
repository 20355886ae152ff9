import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellCommand, shellQuote } from './shell.ts';

test('a quoted word reaches the program unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
      const word = text.replaceAll('\0', '').replace(/[\ud800-\udfff]/g, '');
      const output = execFileSync('/bin/sh', ['-c', `printf %s ${word === '' ? "''" : shellQuote(word)}`]);
      return output.toString() === word;
    }),
    { numRuns: 30 },
  );
});

test('a command line runs in a shell and its exit code comes back', () => {
  const [shell = '', ...args] = shellCommand('echo "a  b"; (exit 3) || echo $?');
  expect(execFileSync(shell, args).toString()).toBe('a  b\n3\n');
});
