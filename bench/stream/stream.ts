// Fan-out, latency, memory, stalls and resumes of the stream layer beside its peers: `tsx bench/stream/stream.ts [case …]`.
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { type BenchCase, cases } from './cases.ts';

const folder = join(import.meta.dirname, '../.cache');
const generator = join(folder, 'load');
mkdirSync(folder, { recursive: true });
execFileSync('cc', ['-O2', '-o', generator, join(import.meta.dirname, 'load.c')]);

interface Server {
  port: number;
  controlPort: number;
  ask<T>(what: Record<string, unknown>): Promise<T>;
  stop(): void;
}

interface Load {
  /** Forgets what was counted. */
  restart(): void;
  stop(): Promise<LoadResult>;
}

interface LoadResult {
  events: number;
  seconds: number;
  closed: number;
  p50: number;
  p99: number;
  max: number;
  cpuSeconds: number;
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Server and load generator get a core each, where there are two and `taskset` exists. */
const pinned = cpus().length > 1;
const pin = (pid: number | undefined, core: number) => {
  if (!pinned || !pid) return;
  try {
    execFileSync('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' });
  } catch {
    // Not Linux: the system decides.
  }
};

async function startServer({ name }: BenchCase): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'server.ts'), [name], {
    execArgv: ['--expose-gc', '--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  pin(child.pid, 0);
  const next = <T>() => new Promise<T>((resolve) => child.once('message', (message) => resolve(message as T)));
  const { port, controlPort } = await next<{ port: number; controlPort: number }>();
  return {
    port,
    controlPort,
    ask: (what) => {
      const answer = next<never>();
      child.send(what);
      return answer;
    },
    // The child ends when the channel does, and takes with it what it started.
    stop: () => child.disconnect(),
  };
}

async function startLoad(
  one: BenchCase,
  server: Server,
  connections: number,
  options: LoadOptions = {},
): Promise<Load> {
  const { round = 1, stall = 0, query = '' } = options;
  const frames = one.frames ? ['--', ...one.frames] : [];
  const head = [server.port, connections, `${one.path}${query}`, server.controlPort, round].map(String);
  const child: ChildProcess = spawn(generator, [...head, ...one.headers, ...frames], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { STALL: String(stall) },
  });
  pin(child.pid, 1);
  let text = '';
  const said = (mark: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => (text.includes(mark) ? resolve(text) : undefined);
      child.stdout?.on('data', look);
      child.once('exit', () => (text.includes(mark) ? resolve(text) : reject(new Error('the load generator failed'))));
      look();
    });
  child.stdout?.on('data', (data) => {
    text += data;
  });
  await said('ready\n');
  await wait(500);
  return {
    restart: () => void child.stdin?.write('r'),
    async stop() {
      const done = said('}');
      child.stdin?.end();
      return JSON.parse((await done).split('\n')[1] ?? '{}') as LoadResult;
    },
  };
}

interface LoadOptions {
  round?: number;
  stall?: number;
  query?: string;
}

type Cost = { sent: number; cpuSeconds: number };

async function fanOut(one: BenchCase, connections: number, perTick: number, seconds: number) {
  const server = await startServer(one);
  const load = await startLoad(one, server, connections, { round: perTick });
  await server.ask({ do: 'flood', amount: perTick, seconds: 1 });
  await wait(200);
  load.restart();
  await wait(50);
  const cost = await server.ask<Cost>({ do: 'flood', amount: perTick, seconds });
  await wait(300);
  const result = await load.stop();
  server.stop();
  return { perSecond: result.events / result.seconds, cpuMicros: (cost.cpuSeconds * 1e6) / result.events };
}

async function latency(one: BenchCase, connections: number, perSecond: number, seconds: number) {
  const server = await startServer(one);
  const load = await startLoad(one, server, connections);
  await server.ask({ do: 'pace', amount: perSecond, seconds: 1 });
  await wait(100);
  load.restart();
  await wait(50);
  const cost = await server.ask<Cost>({ do: 'pace', amount: perSecond, seconds });
  await wait(300);
  const result = await load.stop();
  server.stop();
  return {
    p50: result.p50,
    p99: result.p99,
    cpuMicros: (cost.cpuSeconds * 1e6) / result.events,
    events: result.events,
  };
}

async function idleMemory(one: BenchCase, connections: number): Promise<number> {
  const server = await startServer(one);
  const warm = await startLoad(one, server, 500);
  await warm.stop();
  await wait(500);
  const { rss: before } = await server.ask<{ rss: number }>({ do: 'memory' });
  const load = await startLoad(one, server, connections);
  await wait(500);
  const { rss: after } = await server.ask<{ rss: number }>({ do: 'memory' });
  await load.stop();
  server.stop();
  return (after - before) / connections / 1024;
}

/** 200 clients that never read, beside 200 that do. */
async function stalled(one: BenchCase) {
  const server = await startServer(one);
  const load = await startLoad(one, server, 400, { stall: 200 });
  const { rss: before } = await server.ask<{ rss: number }>({ do: 'memory' });
  load.restart();
  const cost = await server.ask<Cost>({ do: 'pace', amount: 2000, seconds: 10 });
  await wait(300);
  const { rss: after } = await server.ask<{ rss: number }>({ do: 'memory' });
  const { buffered } = await server.ask<{ buffered: number[] }>({ do: 'buffered' });
  const result = await load.stop();
  server.stop();
  return {
    kib: (after - before) / 200 / 1024,
    buffered: Math.max(0, ...buffered) / 1024,
    complete: result.events / (cost.sent * 200),
    p99: result.p99,
  };
}

async function resume(one: BenchCase, connections: number) {
  const server = await startServer(one);
  await server.ask({ do: 'keep', amount: 10_000 });
  const started = performance.now();
  const load = await startLoad(one, server, connections, { query: '&lastEventId=0' });
  const ready = performance.now() - started - 500;
  await wait(3000);
  const result = await load.stop();
  server.stop();
  return { events: result.events / connections, ms: result.seconds * 1000, ready };
}

const names = process.argv.slice(2);
const chosen = names.length > 0 ? cases.filter(({ name }) => names.some((part) => name.includes(part))) : cases;
const fixed = (value: number, digits = 1) => value.toFixed(digits);
/** Deliveries a second, and CPU time of the server for one: the latter counts on a machine that does other things. */
const speed = (of: { perSecond: number; cpuMicros: number }, external: boolean) =>
  external ? thousands(of.perSecond) : `${thousands(of.perSecond)} (${of.cpuMicros.toFixed(2)} µs)`;
const thousands = (value: number) => fixed(value / 1000, 0);

console.log('| server | 1,000 subs k/s | burst k/s | 5,000 subs k/s | p50/p99 ms at 50k/s | µs at 50k/s | idle KiB |');
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const one of chosen) {
  // Its cost is in another process.
  const external = one.name.startsWith('nchan');
  const single = await fanOut(one, 1000, 1, 3);
  const burst = await fanOut(one, 1000, 10, 3);
  const many = await fanOut(one, 5000, 1, 3);
  const timing = await latency(one, 1000, 50, 5);
  const idle = await idleMemory(one, 5000);
  const cells = [
    one.name,
    speed(single, external),
    speed(burst, external),
    speed(many, external),
    `${fixed(timing.p50)}/${fixed(timing.p99)}`,
    external ? '–' : fixed(timing.cpuMicros),
    external ? '–' : fixed(idle),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

console.log('\n| server | stalled KiB | buffered KiB at most | others got | p99 ms | resume of 10,000 events ms |');
console.log('| --- | --- | --- | --- | --- | --- |');
for (const one of chosen.filter(({ name }) => name.startsWith('rivulet'))) {
  const slow = await stalled(one);
  const replay = one.frames ? null : await resume(one, 1);
  const cells = [
    one.name,
    fixed(slow.kib),
    fixed(slow.buffered),
    `${fixed(slow.complete * 100, 2)} %`,
    fixed(slow.p99),
    replay ? `${fixed(replay.ms)} (${replay.events})` : '',
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
