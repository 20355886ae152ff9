// A command that a document names can be typed as it stands: `rivulet` has it with these options, npm has the script.

import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { loadCliSettings } from '../../src/config.ts';
import { blocksOf, codeWordsOf, documents, textOf } from '../support/documents.ts';

const program = createProgram(loadCliSettings({}));
const scripts = Object.keys((JSON.parse(textOf('package.json')) as { scripts: object }).scripts);

/** Lines of shells and pieces of code in lines, each with where it stands. */
const lines = [
  ...blocksOf('sh').flatMap(({ where, text }) => text.split('\n').map((line) => ({ where, line }))),
  ...documents.flatMap((path) => codeWordsOf(path).map((line) => ({ where: path, line }))),
].map(({ where, line }) => ({ where, line: line.replace(/\s#.*$/, '').trim() }));

/** The part of a line from the program on, as in `docker exec rivulet rivulet doctor`. */
const callsIn = (line: string) =>
  [...line.matchAll(/(?:^|\s)(?:npx )?rivulet (?!rivulet\b)([a-z]+\b.*)$/g)].map(([, rest = '']) => rest);

/** @returns what is wrong with it, or null */
function problemOf(call: string): string | null {
  const words = call.replaceAll(/"[^"]*"|'[^']*'/g, 'TEXT').split(/\s+/);
  let command: Command = program;
  while (words[0] !== undefined && /^[a-z]+$/.test(words[0])) {
    const next = command.commands.find((one) => one.name() === words[0] || one.aliases().includes(words[0] as string));
    if (!next) break;
    command = next;
    words.shift();
  }
  if (command === program && words[0] !== 'help') return `there is no command "${words[0]}"`;
  const unknown = words.filter((word) => /^--?[a-z]/.test(word)).find((word) => !hasOption(command, word));
  return unknown ? `it has no option ${unknown}` : null;
}

const hasOption = (command: Command, word: string) =>
  ['--help', '-h'].includes(word) || command.options.some(({ long, short }) => word === long || word === short);

describe('a command of a document', () => {
  it('is one of rivulet, with options that it has', () => {
    const calls = lines.flatMap(({ where, line }) => callsIn(line).map((call) => ({ where, call })));
    expect(calls.length).toBeGreaterThan(8);
    const wrong = calls.flatMap(({ where, call }) => {
      const problem = problemOf(call);
      return problem === null ? [] : [`${where}: rivulet ${call}: ${problem}`];
    });
    expect(wrong).toEqual([]);
  });

  it('is a script of package.json', () => {
    const named = lines.flatMap(({ where, line }) =>
      [...line.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, script = '']) => ({ where, script })),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ script }) => !scripts.includes(script))).toEqual([]);
  });

  it('is told of in docs/cli.md, with options that it has', () => {
    const rows = (textOf('docs/cli.md').match(/^\| `.*$/gm) ?? []).map((row) => ({
      commands: [...(row.split(' | ', 1)[0] ?? '').matchAll(/`([a-z]+)/g)].map(([, name = '']) => name),
      options: row.match(/(?<=`)--[a-z-]+/g) ?? [],
    }));
    const told = rows.flatMap(({ commands }) => commands);
    expect(program.commands.map((one) => one.name()).filter((name) => !told.includes(name))).toEqual([]);
    const unknown = rows.flatMap(({ commands: [name], options }) => {
      const command = program.commands.find((one) => one.name() === name);
      return options.filter((option) => command && !hasOption(command, option)).map((option) => `${name} ${option}`);
    });
    expect(unknown).toEqual([]);
  });
});
