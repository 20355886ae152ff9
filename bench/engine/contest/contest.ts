// Whole runs a second through each server's HTTP API, against the same provider, a core for the server under test.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { pin } from '../../machine.ts';
import { cpuSeconds } from '../../process-cost.ts';
import type { Contender, RunningServer } from './contender.ts';
import { keepers } from './kept.ts';
import { langgraph } from './langgraph.ts';
import { mastra } from './mastra.ts';
import { turns } from './provider.ts';
import { rivulet } from './rivulet.ts';

export const contenders: readonly Contender[] = [...rivulet, ...keepers, langgraph, mastra];
/** Runs under way at any time. */
export const atOnce = 32;

export interface Score {
  runsPerSecond: number;
  /** The server's CPU time for one run. */
  cpuMs: number;
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

/** Keeps `atOnce` runs under way for some time; the count of those that ended. */
async function keepBusy(server: RunningServer, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000;
  let ended = 0;
  const one = async () => {
    while (performance.now() < until) {
      await server.run();
      ended++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return ended;
}

/** Measures for some seconds, after `warmUp` seconds of the same load in which a server's code is compiled. */
export async function score(
  contender: Contender,
  provider: string,
  { warmUp, seconds }: { warmUp: number; seconds: number },
): Promise<Score> {
  const server = await contender.start(provider, atOnce);
  try {
    await keepBusy(server, warmUp);
    const [cpuBefore, began] = [cpuSeconds(server.pids()), performance.now()];
    const diskBefore = server.disk?.();
    const ended = await keepBusy(server, seconds);
    const took = (performance.now() - began) / 1000;
    const cpu = cpuSeconds(server.pids()) - cpuBefore;
    const diskBytes = diskBefore === undefined ? null : (server.disk!() - diskBefore) / ended;
    return { runsPerSecond: ended / took, cpuMs: (cpu * 1000) / ended, diskBytes };
  } finally {
    await server.stop();
  }
}
