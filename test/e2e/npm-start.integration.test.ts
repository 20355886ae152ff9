// The server as process managers end it that npm or npx has started: by a signal to these. `npm start`, which comes first,
// builds the pages, which takes longer than a unit may.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

it.each([
  ['npm', 'start'],
  ['npx', 'rivulet', 'start'],
])('stops in order when the %s is ended that started it', async (program, ...args) => {
  const folder = mkdtempSync(join(tmpdir(), 'rivulet-npm-'));
  const env = { PATH: process.env.PATH, HOME: folder, RIVULET_DATA: join(folder, 'data'), RIVULET_PORT: '0' };
  const npm = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: npm.stdout });
  const url = await new Promise<string>((found, failed) => {
    lines.on('line', (line) => /ready on (http:\S+)/.test(line) && found(/http:\S+/.exec(line)?.[0] ?? ''));
    npm.once('exit', (code) => failed(new Error(`${program} ended with ${code}`)));
  });
  const pidFile = join(folder, 'data', 'rivulet.pid');
  const pid = Number(readFileSync(pidFile, 'utf8'));
  onTestFinished(() => {
    if (existsSync(pidFile)) process.kill(pid, 'SIGKILL');
    rmSync(folder, { recursive: true });
  });
  expect((await fetch(`${url}/api/system/health`)).status).toBe(200);
  npm.kill('SIGTERM');
  // The output is open as long as the server lives, and its file is gone when it ended in order.
  await once(lines, 'close');
  expect(existsSync(pidFile)).toBe(false);
});
