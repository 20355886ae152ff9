// `rivulet demo` with a server of its own, ended in the middle: it takes the server and its folder with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildChild } from '../support/child/build.ts';

const program = resolve(import.meta.dirname, '../../dist/server/cli/rivulet.js');
let home: string;
beforeAll(async () => {
  await buildChild();
  home = mkdtempSync(join(tmpdir(), 'rivulet-demo-ends-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

it.each(['SIGTERM', 'SIGHUP', 'a closed output'])('leaves no server of a demo that %s ends', async (how) => {
  const child = spawn(process.execPath, [program, 'demo'], {
    cwd: home,
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: home, TMPDIR: home, RIVULET_PORT: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  child.stdout.on('data', (piece) => {
    out += piece;
  });
  await expect.poll(() => out).toContain('turn 1');
  const url = /Rivulet at (\S+) \(started/.exec(out)?.[1];
  expect((await fetch(`${url}/api/system/info`)).status).toBe(200);
  if (how.startsWith('SIG')) child.kill(how as NodeJS.Signals);
  else child.stdout.destroy();
  await once(child, 'exit');
  await expect.poll(() => fetch(`${url}/api/system/info`).catch(() => 'gone')).toBe('gone');
  expect(readdirSync(home).filter((name) => name.startsWith('rivulet-demo-'))).toEqual([]);
});
