// Whole runs a second through each server's HTTP API, against the same provider, a core for the server under test.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { pin } from '../../machine.ts';
import { cpuSeconds } from '../../process-cost.ts';
import { median } from '../../report.ts';
import type { Contender, RunningServer } from './contender.ts';
import { keepers } from './kept.ts';
import { langgraph } from './langgraph.ts';
import { mastra } from './mastra.ts';
import { turns } from './provider.ts';
import { rivulet } from './rivulet.ts';

export const contenders: readonly Contender[] = [...rivulet, ...keepers, langgraph, mastra];

export interface Score {
  runsPerSecond: number;
  /** The server's CPU time for one run. */
  cpuMs: number;
  /** A run while there is no other: the server's CPU time, and the median by the clock. */
  alone: { cpuMs: number; p50Ms: number };
  /** Bytes on the disk for one run; null where nothing is kept there. */
  diskBytes: number | null;
}

/** The provider's base URL, and how it ends. */
export async function startProvider(turnsOfRun = turns): Promise<{ url: string; stop(): void }> {
  const child = fork(join(import.meta.dirname, 'provider.ts'), [String(turnsOfRun)], { execArgv: ['--import', 'tsx'] });
  pin(child.pid, 1);
  const { port } = await new Promise<{ port: number }>((resolve) =>
    child.once('message', (message) => resolve(message as { port: number })),
  );
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => child.disconnect() };
}

/** Keeps `atOnce` runs under way for some time; the durations in ms of those that ended. */
async function keepBusy(server: RunningServer, seconds: number, atOnce: number): Promise<number[]> {
  const until = performance.now() + seconds * 1000;
  const took: number[] = [];
  const one = async () => {
    for (let began = performance.now(); began < until; began = performance.now()) {
      await server.run();
      took.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return took;
}

/** What runs cost the server for some time. */
async function cost(server: RunningServer, seconds: number, atOnce: number) {
  const [cpuBefore, began] = [cpuSeconds(server.pids()), performance.now()];
  const took = await keepBusy(server, seconds, atOnce);
  const elapsed = (performance.now() - began) / 1000;
  const cpuMs = ((cpuSeconds(server.pids()) - cpuBefore) * 1000) / took.length;
  return { runs: took.length, runsPerSecond: took.length / elapsed, cpuMs, p50Ms: median(took) };
}

/** Measures for some seconds, after `warmUp` seconds of the same load in which a server's code is compiled. */
export async function score(
  contender: Contender,
  provider: string,
  { warmUp, seconds, atOnce }: { warmUp: number; seconds: number; atOnce: number },
): Promise<Score> {
  const server = await contender.start(provider, atOnce);
  try {
    await keepBusy(server, warmUp, atOnce);
    const diskBefore = server.disk?.();
    const { runs, runsPerSecond, cpuMs } = await cost(server, seconds, atOnce);
    const diskBytes = diskBefore === undefined ? null : (server.disk!() - diskBefore) / runs;
    const alone = await cost(server, seconds, 1);
    return { runsPerSecond, cpuMs, diskBytes, alone: { cpuMs: alone.cpuMs, p50Ms: alone.p50Ms } };
  } finally {
    await server.stop();
  }
}
