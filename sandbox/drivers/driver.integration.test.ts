// What every driver does alike besides keeping commands in: input and terminals, pauses, measures, rest and revival.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Sandbox } from '../commands/sandbox.ts';
import { freshSandbox, runIn, testDrivers } from '../testing/drivers.ts';
import { until } from '../testing/podman.ts';
import { processesWith } from '../testing/processes.ts';
import type { SandboxDriver } from './driver.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const drivers = await testDrivers();
afterAll(() => {
  for (const driver of drivers) driver.stop();
});
if (drivers.length === 0) test.skip('no sandbox driver works on this machine', () => {});

describe.each(drivers)('$name', ({ make }) => {
  let directory: string;
  let driver: SandboxDriver;
  let sandbox: Sandbox;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rivulet-driver-'));
    driver = make(directory);
    sandbox = await freshSandbox(driver, directory, 'plain');
  });
  afterEach(async () => {
    await sandbox.destroy();
    rmSync(directory, { recursive: true, force: true });
  });
  const run = (command: string, more = {}) => runIn(sandbox, command, more);

  test('a paused sandbox stands still and its time with it', async () => {
    const ticking = run('i=0; while [ $i -lt 15 ]; do i=$((i+1)); echo $i > tick; sleep 0.1; done', {
      timeoutMs: 4_000,
    });
    await until(() => existsSync(join(sandbox.spec.workspace, 'tick')));
    const [first, second] = await sandbox.whilePaused(async () => {
      const before = readFileSync(join(sandbox.spec.workspace, 'tick'), 'utf8');
      await systemClock.sleep(500);
      return [before, readFileSync(join(sandbox.spec.workspace, 'tick'), 'utf8')];
    });
    expect(second).toBe(first);
    expect(await ticking).toMatchObject({ exitCode: 0, endedBy: 'exit' });
    await sandbox.pause();
    expect(sandbox.state).toBe('paused');
    await expect(run('true')).rejects.toMatchObject({ code: 'NOT_READY' });
    await sandbox.resume();
    expect((await run('echo resumed')).stdout).toBe('resumed\n');
  });

  test('what a sandbox uses is measured while it works', async () => {
    const busy = run('echo > begun; while [ ! -e enough ]; do :; done');
    await until(() => existsSync(join(sandbox.spec.workspace, 'begun')));
    await until(async () => {
      const { processes, memoryBytes, cpuMs } = await sandbox.stats();
      return processes >= 1 && memoryBytes > 0 && cpuMs > 0;
    });
    writeFileSync(join(sandbox.spec.workspace, 'enough'), '');
    expect(await busy).toMatchObject({ exitCode: 0 });
  });

  test('an idle sandbox is stopped, and the next command revives it with its files', async () => {
    const idle = await freshSandbox(driver, directory, 'idle', { idleStopMs: 1_000 });
    const mark = `7${Math.floor(Math.random() * 1e8)}`;
    await runIn(idle, `echo kept > file; (setsid sleep ${mark} >/dev/null 2>&1 </dev/null &)`);
    await until(() => idle.state === 'stopped');
    await until(() => processesWith(mark).length === 0);
    expect(await runIn(idle, 'cat file')).toMatchObject({ exitCode: 0, stdout: 'kept\n' });
    expect(idle.state).toBe('ready');
    await idle.destroy();
  });

  test('a terminal is a terminal, and input reaches the command', async () => {
    const terminal = await run('[ -t 1 ] && stty size', { pty: { columns: 90, rows: 20 } });
    if (terminal.exitCode === 0) expect(terminal.stdout).toBe('20 90\r\n');
    else expect(terminal.stderr).toContain('script');
    expect((await run('cat; cat /dev/null', { stdin: Buffer.from('fed') })).stdout).toBe('fed');
    const execution = await sandbox.exec({
      argv: ['cat'],
      stdin: 'open',
      onOutput: ({ bytes }) => void echoed.push(bytes),
    });
    const echoed: Uint8Array[] = [];
    execution.stdin?.write('live ');
    execution.stdin?.end('input');
    expect(await execution.result).toMatchObject({ exitCode: 0 });
    expect(Buffer.concat(echoed).toString()).toBe('live input');
    expect((await run('echo to stdout > /dev/stdout; echo to stderr > /dev/stderr')).stderr).toBe('to stderr\n');
  });
});
