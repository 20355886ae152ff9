// A terminal that is closed while a server runs in it, as at the end of an SSH session. `script` of util-linux is the terminal.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { asBuilt, buildChild } from '../support/child/build.ts';

const root = resolve(import.meta.dirname, '../..');
const isHere = spawnSync('script', ['--version']).stdout?.includes('util-linux');

it.skipIf(!isHere)('stops in order when its terminal is closed', async () => {
  await buildChild(asBuilt);
  const folder = mkdtempSync(join(tmpdir(), 'rivulet-terminal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { PATH: process.env.PATH, HOME: folder, RIVULET_DATA: join(folder, 'data'), RIVULET_PORT: '0' };
  const terminal = spawn('script', ['-qec', 'exec node dist/server/main.js', '/dev/null'], {
    ...{ cwd: root, env, stdio: ['ignore', 'pipe', 'inherit', 'pipe'] },
  });
  // The server has this pipe, too, and closes it by its end.
  const held = terminal.stdio[3] as Readable;
  const closed = once(held.resume(), 'close');
  let said = '';
  for await (const piece of terminal.stdout as Readable) {
    said += piece;
    if (said.includes('is ready on')) break;
  }
  expect(existsSync(join(folder, 'data', 'rivulet.pid'))).toBe(true);
  terminal.kill('SIGKILL');
  await closed;
  expect(existsSync(join(folder, 'data', 'rivulet.pid'))).toBe(false);
});
