import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedClock } from '../../src/kernel/simulated-clock.ts';
import { defaultLimits } from '../limits.ts';
import { FakeSandbox } from '../testing/fake-driver.ts';
import { Sandbox } from './sandbox.ts';

let workspace: string;
let clock: SimulatedClock;
let driver: FakeSandbox;
let sandbox: Sandbox;
const limits = { ...defaultLimits, workspaceBytes: 2 ** 20, commandTimeoutMs: 1e9, idleStopMs: 60_000 };

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'rivulet-sandbox-'));
  clock = new SimulatedClock();
  driver = new FakeSandbox([workspace]);
  const user = { uid: 0, gid: 0, isDedicated: false };
  sandbox = new Sandbox(driver, { id: 'fake', workspace, limits, user }, clock);
});
afterEach(() => rmSync(workspace, { recursive: true }));

/** A promise and the function that resolves it. */
const held = () => {
  let finish = () => {};
  const until = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { until, finish: () => finish() };
};

const exec = (name = 'work', signal?: AbortSignal) =>
  sandbox.exec({ argv: [name], onOutput: () => {}, ...(signal ? { signal } : {}) });

test('an idle sandbox is stopped, and the next command revives it', async () => {
  await clock.advance(59_999);
  expect(sandbox.state).toBe('ready');
  await clock.advance(1);
  expect(sandbox.state).toBe('stopped');
  const execution = await exec();
  expect(sandbox.state).toBe('ready');
  await clock.advance(90_000);
  expect(sandbox.state).toBe('ready');
  driver.processes[0]?.exit(0);
  await execution.result;
  await clock.advance(60_000);
  expect(driver.calls).toEqual(['stop', 'start work', 'stop']);
});

test('a command that comes while an idle sandbox is being stopped begins when that is done', async () => {
  const { until, finish } = held();
  driver.stopping = until;
  await clock.advance(60_000);
  const coming = exec();
  await clock.advance(0);
  expect(driver.calls).toEqual(['stop']);
  finish();
  await coming;
  expect(driver.calls).toEqual(['stop', 'start work']);
  expect([sandbox.state, sandbox.running]).toEqual(['ready', 1]);
});

test('stop and destroy end what runs; a destroyed sandbox takes nothing more', async () => {
  const first = await exec();
  const stopping = sandbox.stop();
  await clock.advance(0);
  await clock.advance(2_000);
  await stopping;
  expect(await first.result).toMatchObject({ endedBy: 'stop' });
  const second = await exec();
  await sandbox.destroy();
  expect(await second.result).toMatchObject({ endedBy: 'stop', exitCode: 137 });
  await expect(exec()).rejects.toMatchObject({ code: 'NOT_READY' });
});

test('an aborted signal ends its command only', async () => {
  const abort = new AbortController();
  const first = await exec('first', abort.signal);
  await exec('second');
  abort.abort();
  await clock.advance(0);
  await clock.advance(2_000);
  expect(await first.result).toMatchObject({ endedBy: 'cancel' });
  expect(sandbox.running).toBe(1);
});

test('works that need the sandbox to stand still overlap, and commands wait for them', async () => {
  const order: string[] = [];
  const { until, finish } = held();
  const slow = sandbox.whilePaused(() => until);
  await sandbox.whilePaused(async () => void order.push('quick'));
  const started = exec('late').then(() => order.push('late'));
  await clock.advance(10);
  expect(order).toEqual(['quick']);
  expect(driver.calls).toEqual(['pause']);
  finish();
  await slow;
  await started;
  expect(driver.calls).toEqual(['pause', 'resume', 'start late']);
});

test('a command that comes while a pause is being ended begins when that is done', async () => {
  const { until, finish } = held();
  driver.resuming = until;
  const work = sandbox.whilePaused(async () => {});
  await clock.advance(10);
  const coming = exec('late');
  await clock.advance(10);
  expect(driver.calls).toEqual(['pause', 'resume']);
  finish();
  await Promise.all([work, coming]);
  expect(driver.calls).toEqual(['pause', 'resume', 'start late']);
});

test('a pause that a person asked for outlives a work that needed one too', async () => {
  await sandbox.pause();
  await sandbox.whilePaused(async () => {});
  expect(driver.calls).toEqual(['pause']);
  await expect(exec()).rejects.toMatchObject({ code: 'NOT_READY' });
  await sandbox.resume();
  expect(driver.calls).toEqual(['pause', 'resume']);
});

test('a pause waits for a command that is being started', async () => {
  const { until, finish } = held();
  driver.starting = until;
  const coming = exec();
  await clock.advance(0);
  const paused = sandbox.pause();
  await clock.advance(10);
  expect(driver.calls).toEqual(['start work']);
  finish();
  await Promise.all([coming, paused]);
  expect(driver.calls).toEqual(['start work', 'pause']);
});

test('a command that counts the disk first starts once a work that began meanwhile is done', async () => {
  const file = join(workspace, 'file');
  writeFileSync(file, '');
  truncateSync(file, 2 ** 21);
  const filler = await exec('filler');
  while (sandbox.running > 0) await clock.advance(300);
  await filler.result;
  const coming = exec('cleaner');
  const { until, finish } = held();
  const work = sandbox.whilePaused(() => until);
  // The command's own count is done before these are, since they begin later and look at the same.
  for (let count = 0; count < 3; count++) await sandbox.diskUsage();
  expect(driver.calls).toEqual(['start filler', 'pause']);
  finish();
  await Promise.all([coming, work]);
  expect(driver.calls).toEqual(['start filler', 'pause', 'resume', 'start cleaner']);
});

test('a pause that fails keeps nothing waiting', async () => {
  driver.pauseFault = new Error('the container is gone');
  await expect(sandbox.whilePaused(async () => {})).rejects.toThrow('gone');
  driver.pauseFault = null;
  await exec('later');
  expect(driver.calls).toEqual(['pause', 'start later']);
});

test('a command that fills the disk is ended; one that empties a full disk may work', async () => {
  const file = join(workspace, 'file');
  writeFileSync(file, '');
  const full = async (bytes: number) => {
    truncateSync(file, bytes);
    // Counting the disk is real input and output, so it takes as many turns as it takes.
    const seen = driver.looks + 2;
    while (driver.looks < seen && sandbox.running > 0) await clock.advance(300);
  };
  const filler = await exec('filler');
  await full(2 ** 21);
  expect(await filler.result).toMatchObject({ endedBy: 'workspace-limit' });
  const cleaner = await exec('cleaner');
  await full(2 ** 21 - 1);
  await full(2 ** 20 + 5);
  driver.processes[1]?.exit(0);
  expect(await cleaner.result).toMatchObject({ endedBy: 'exit' });
});
