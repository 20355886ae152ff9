// How fast sandboxes are: start latency, output throughput, and twenty commands at once, on every driver that works here.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../../sandbox/commands/sandbox.ts';
import { freshSandbox, testDrivers } from '../../sandbox/testing/drivers.ts';
import { describeMachine, firstLine } from '../machine.ts';
import { fixed, quantile, table, writeResults, writeSection } from '../report.ts';

interface Row {
  what: string;
  p50: number;
  p99: number;
  note: string;
}

const starts = 100;
const lives = 20;
const atOnce = 20;
const floodBytes = 512 * 1024 * 1024;

/** Milliseconds of each of `times` calls, one after the other. */
async function timed(times: number, run: () => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let call = 0; call < times; call++) {
    const before = performance.now();
    await run();
    took.push(performance.now() - before);
  }
  return took;
}

const row = (what: string, took: number[], note = ''): Row => ({
  what,
  p50: quantile(took, 0.5),
  p99: quantile(took, 0.99),
  note,
});

const plainSpawn = () =>
  new Promise<void>((resolve) => {
    spawn('true', { stdio: 'ignore' }).once('exit', () => resolve());
  });

async function exec(sandbox: Sandbox, command: string, outputBytes?: number) {
  const execution = await sandbox.exec({
    argv: ['/bin/sh', '-c', command],
    onOutput: () => {},
    ...(outputBytes === undefined ? {} : { outputBytes }),
  });
  return execution.result;
}

/** Commands a second, `atOnce` always under way. */
async function commandsPerSecond(sandbox: Sandbox): Promise<number> {
  const began = performance.now();
  const lane = () => timed(5, () => exec(sandbox, 'true'));
  const took = await Promise.all(Array.from({ length: atOnce }, lane));
  return took.flat().length / ((performance.now() - began) / 1000);
}

async function measure(name: string, sandbox: Sandbox, wholeLife: () => Promise<unknown>): Promise<Row[]> {
  await exec(sandbox, 'true');
  const found = [row(`${name}: a command in a sandbox that stands`, await timed(starts, () => exec(sandbox, 'true')))];
  found.push(row(`${name}: sandbox made, used, destroyed`, await timed(lives, wholeLife)));
  const before = performance.now();
  const together = await Promise.all(
    Array.from({ length: atOnce }, (_, index) => timed(1, () => exec(sandbox, `echo ${index}`))),
  );
  const all = `all in ${fixed(performance.now() - before, 0)} ms`;
  const rate = `${fixed(await commandsPerSecond(sandbox), 0)} commands a second`;
  found.push(row(`${name}: ${atOnce} commands at once`, together.flat(), `${all}; ${rate}`));
  const flooding = performance.now();
  const flood = await exec(sandbox, `head -c ${floodBytes} /dev/zero`, floodBytes);
  const ms = performance.now() - flooding;
  const megabytes = `${fixed(flood.outputBytes / 1000 / ms, 0)} MB/s`;
  found.push(row(`${name}: ${floodBytes / 2 ** 20} MiB of output`, [ms], megabytes));
  return found;
}

const machine = describeMachine();
const rows: Row[] = [row('plain spawn of true', await timed(starts, plainSpawn), 'no sandbox, for comparison')];
for (const { name, make, stop } of await testDrivers()) {
  const directory = mkdtempSync(join(tmpdir(), 'rivulet-bench-'));
  const driver = make(directory);
  const limits = { outputBytes: floodBytes, pids: 256, cpus: cpus().length };
  const sandbox = await freshSandbox(driver, directory, 'bench', limits);
  let made = 0;
  const wholeLife = async () => {
    const short = await freshSandbox(driver, directory, `life-${made++}`);
    await exec(short, 'true');
    await short.destroy();
  };
  rows.push(...(await measure(name, sandbox, wholeLife)));
  await sandbox.destroy();
  rmSync(directory, { recursive: true, force: true });
  stop();
}

const text = table(
  ['', 'p50, ms', 'p99, ms', ''],
  rows.map(({ what, p50, p99, note }) => [what, fixed(p50), fixed(p99), note]),
);
console.log(text);
const programs = [firstLine('bwrap', '--version'), firstLine('podman', '--version')].filter(Boolean).join(', ');
writeResults('sandbox', { machine, at: new Date().toISOString(), rows });
writeSection('sandbox', `${text}\n\nMeasured on ${new Date().toISOString().slice(0, 10)}: ${machine}. ${programs}.`);
