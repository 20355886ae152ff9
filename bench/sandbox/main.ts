// How fast sandboxes are: start latency, output throughput, and twenty commands at once, on every driver that works here.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { freshSandbox, testDrivers } from '../../sandbox/testing/drivers.ts';

interface Row {
  what: string;
  'p50 ms': string;
  'p99 ms': string;
  note: string;
}

const starts = 100;
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

function row(what: string, took: number[], note = ''): Row {
  const sorted = [...took].sort((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  return { what, 'p50 ms': at(0.5), 'p99 ms': at(0.99), note };
}

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

const rows: Row[] = [row('plain spawn of true', await timed(starts, plainSpawn), 'no sandbox, for comparison')];
for (const { name, make, stop } of await testDrivers()) {
  const directory = mkdtempSync(join(tmpdir(), 'rivulet-bench-'));
  const driver = make(directory);
  const limits = { outputBytes: floodBytes, pids: 256, cpus: cpus().length };
  const sandbox = await freshSandbox(driver, directory, 'bench', limits);
  await exec(sandbox, 'true');
  rows.push(row(`${name}: true in a sandbox`, await timed(starts, () => exec(sandbox, 'true'))));

  let made = 0;
  const wholeLife = async () => {
    const short = await freshSandbox(driver, directory, `life-${made++}`);
    await exec(short, 'true');
    await short.destroy();
  };
  rows.push(row(`${name}: sandbox made, used, destroyed`, await timed(20, wholeLife)));

  const before = performance.now();
  const together = await Promise.all(
    Array.from({ length: atOnce }, (_, index) => timed(1, () => exec(sandbox, `echo ${index}`))),
  );
  rows.push(row(`${name}: ${atOnce} at once`, together.flat(), `all in ${(performance.now() - before).toFixed(0)} ms`));

  const flooding = performance.now();
  const flood = await exec(sandbox, `head -c ${floodBytes} /dev/zero`, floodBytes);
  const seconds = (performance.now() - flooding) / 1000;
  const rate = `${(flood.outputBytes / 1e6 / seconds).toFixed(0)} MB/s`;
  rows.push(row(`${name}: ${floodBytes / 2 ** 20} MiB of output`, [seconds * 1000], rate));

  await sandbox.destroy();
  rmSync(directory, { recursive: true, force: true });
  stop();
}
console.table(rows);
