#!/usr/bin/env node
// The program `rivulet`: the server and its folder, runs and chats, from a terminal. docs/cli.md says what each command does.
import { CommanderError } from 'commander';
import { loadCliSettings } from '../config.ts';
import { systemClock } from '../kernel/clock.ts';
import { exitCodes, explain } from './failures.ts';
import { createProgram } from './program.ts';

// A reader of the output may close it early: `rivulet runs | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.done);
  throw error;
});

// npm and npx pass SIGTERM to the shell between them and this process, and dash ends by it without passing it on.
function endWithShell(): void {
  const shell = process.ppid;
  const stop = systemClock.every(500, () => {
    if (process.ppid === shell) return;
    stop();
    process.kill(process.pid, 'SIGTERM');
  });
}

try {
  process.exitCode = exitCodes.done;
  const settings = loadCliSettings();
  if (settings.isOfNpm) endWithShell();
  await createProgram(settings).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  else {
    const { lines, code } = explain(error);
    for (const line of lines) console.error(line);
    process.exitCode = code;
  }
}
