#!/usr/bin/env node
// The program `rivulet`: the server and its folder, runs and chats, from a terminal. docs/cli.md says what each command does.
import { CommanderError } from 'commander';
import { exitCodes, explain } from './failures.ts';
import { createProgram } from './program.ts';

// A reader of the output may close it early: `rivulet runs | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.done);
  throw error;
});

try {
  process.exitCode = exitCodes.done;
  await createProgram().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  else {
    const { lines, code } = explain(error);
    for (const line of lines) console.error(line);
    process.exitCode = code;
  }
}
