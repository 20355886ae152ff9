import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runCommand } from './git-starter.ts';

const plain = { env: { PATH: '/usr/bin:/bin' }, maxBytes: 1000, seconds: 60 };
const shell = (script: string, more = {}) => ({ ...plain, args: ['-c', script], ...more });

/** Seconds of a sleep that only this run's processes ask for. */
const nap = `9${process.pid}`;

/** Ids of the processes whose command line contains `mark`. */
const pidsWith = (mark: string) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(mark);
      } catch {
        return false;
      }
    })
    .map(Number);

const parentOf = (pid: number) => Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

test('input, output, errors and the exit code pass through', async () => {
  const bytes = Buffer.from([0, 255, 10, 128]);
  const ended = await runCommand(shell('cat; echo why >&2; exit 3', { input: bytes }));
  expect(ended).toMatchObject({ code: 3, signal: null, isCut: false, stderr: 'why\n' });
  expect(Buffer.from(ended.stdout)).toEqual(bytes);
});

test('output above the limit is cut, and ends the command', async () => {
  const ended = await runCommand(shell('yes'));
  expect(ended).toMatchObject({ code: null, signal: 'SIGKILL', isCut: true });
  expect(ended.stdout).toHaveLength(1000);
});

test('a stop ends all processes of the command', async () => {
  const stop = new AbortController();
  const running = runCommand(shell(`sleep ${nap}1 & sleep ${nap}1; true`), stop.signal);
  await expect.poll(() => pidsWith(`${nap}1`).length).toBeGreaterThan(1);
  stop.abort();
  expect(await running).toMatchObject({ signal: 'SIGKILL', isCut: false });
  await expect.poll(() => pidsWith(`sleep\0${nap}1`)).toEqual([]);
  expect(await runCommand(shell(`sleep ${nap}1`), AbortSignal.abort())).toMatchObject({ signal: 'SIGKILL' });
});

test('the death of the process fails what is under way by name; the next command starts another', async () => {
  const running = runCommand(shell(`sleep ${nap}2; true`));
  running.catch(() => {});
  await expect.poll(() => pidsWith(`sleep ${nap}2`).length).toBe(1);
  process.kill(parentOf(pidsWith(`sleep ${nap}2`)[0] as number), 'SIGKILL');
  await expect(running).rejects.toThrow('The process that starts git ended with SIGKILL.');
  for (const pid of pidsWith(`${nap}2`)) process.kill(pid, 'SIGKILL');
  expect(await runCommand(shell('true'))).toMatchObject({ code: 0 });
});

test('the end of the server, by kill -9 too, ends its commands', async () => {
  const path = new URL('./git-starter.ts', import.meta.url).href;
  const script = `import(${JSON.stringify(path)}).then(({ runCommand }) => runCommand(${JSON.stringify(shell(`sleep ${nap}3; true`))}))`;
  const server = spawn(process.execPath, ['--import', 'tsx', '-e', script], { stdio: 'inherit' });
  await expect.poll(() => pidsWith(`sleep\0${nap}3`).length).toBe(1);
  server.kill('SIGKILL');
  await expect.poll(() => pidsWith(`sleep\0${nap}3`)).toEqual([]);
});
