// The load generator: a program in C, compiled once, in a process and on a core of its own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cacheFolder, pin } from '../machine.ts';
import type { Contender } from './contender.ts';

export interface Counted {
  events: number;
  /** Between the first event and the last. */
  seconds: number;
  closed: number;
  /** Milliseconds from sending to reading. */
  p50: number;
  p99: number;
  /** The generator's own CPU time: where it nears `seconds`, the generator is what is measured. */
  cpuSeconds: number;
}

export interface Load {
  /** Forgets what was counted; from then on each `perTick` events to all are acknowledged to the server. */
  restart(perTick: number): Promise<void>;
  count(): Promise<Counted>;
  stop(): Promise<void>;
}

const generator = join(cacheFolder('load'), 'load');
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Milliseconds for what was sent before to be read, and for commands to reach the generator. */
const settleMs = 300;
const commandMs = 30;

export function compileLoad(): void {
  execFileSync('cc', ['-O2', '-o', generator, join(import.meta.dirname, 'load.c')]);
}

export interface LoadOptions {
  connections: number;
  /** So many of them never read. */
  stalled?: number;
  /** Added to the path. */
  query?: string;
}

/** Opens the connections; resolves when all stand. */
export async function startLoad(
  one: Contender,
  server: { port: number; controlPort: number; path: string },
  { connections, stalled = 0, query = '' }: LoadOptions,
): Promise<Load> {
  const frames = one.frames ? ['--', ...one.frames] : [];
  const words = [server.port, connections, stalled, `${server.path}${query}`, server.controlPort].map(String);
  const child: ChildProcess = spawn(generator, [...words, ...one.headers, ...frames], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  pin(child.pid, 1);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the load generator ended early with ${child.exitCode}`);
    return String(value);
  };
  await next();
  await wait(settleMs);
  return {
    async restart(perTick) {
      child.stdin?.write(`r ${perTick}\n`);
      await wait(commandMs);
    },
    async count() {
      await wait(settleMs);
      child.stdin?.write('s\n');
      return JSON.parse(await next()) as Counted;
    },
    async stop() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.stdin?.end();
      await gone;
    },
  };
}
