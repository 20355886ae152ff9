// The measurements: each starts a server, connects the load generator, and says what came and what it cost.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { kernelSocketBytes } from '../process-cost.ts';
import { median } from '../report.ts';
import type { Contender } from './contender.ts';
import { idOf } from './contenders.ts';
import { type Counted, type Load, type LoadOptions, startLoad } from './load.ts';

interface Server {
  port: number;
  controlPort: number;
  path: string;
  ask<T>(what: Record<string, unknown>): Promise<T>;
  stop(): Promise<void>;
}

interface Cost {
  /** Events, not deliveries. */
  sent: number;
  cpuSeconds: number;
}

export interface Fanout {
  /** Deliveries. */
  perSecond: number;
  /** The server's CPU time for one delivery, in microseconds. */
  cpuMicros: number;
  p50: number;
  p99: number;
  /** Share of its core that the load generator used. */
  generatorShare: number;
  /** Events that never came, of those that should have. */
  missing: number;
}

async function startServer(one: Contender): Promise<Server> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'server.ts'), [idOf(one)], {
    execArgv: ['--expose-gc', '--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const next = <T>() =>
    new Promise<T>((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`the server of ${idOf(one)} ended with ${code}`));
      child.once('exit', onExit);
      child.once('message', (message) => {
        child.removeListener('exit', onExit);
        resolve(message as T);
      });
    });
  const ready = await next<{ port: number; controlPort: number; path: string }>();
  return {
    ...ready,
    ask: (what) => {
      const answer = next<never>();
      child.send(what);
      return answer;
    },
    // The child ends when the channel does, and takes with it what it started.
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await gone;
    },
  };
}

async function withServer<T>(one: Contender, use: (server: Server) => Promise<T>): Promise<T> {
  const server = await startServer(one);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

function fanout(cost: Cost, counted: Counted, readers: number): Fanout {
  return {
    perSecond: counted.events / counted.seconds,
    cpuMicros: (cost.cpuSeconds * 1e6) / counted.events,
    p50: counted.p50,
    p99: counted.p99,
    generatorShare: counted.cpuSeconds / counted.seconds,
    missing: cost.sent * readers - counted.events,
  };
}

async function flood(server: Server, load: Load, readers: number, perTick: number, seconds: number): Promise<Fanout> {
  await load.restart(perTick);
  const cost = await server.ask<Cost>({ do: 'flood', amount: perTick, seconds });
  return fanout(cost, await load.count(), readers);
}

async function pace(server: Server, load: Load, readers: number, perSecond: number, seconds: number): Promise<Fanout> {
  await load.restart(0);
  const cost = await server.ask<Cost>({ do: 'pace', amount: perSecond, seconds });
  return fanout(cost, await load.count(), readers);
}

const subscribers = 1000;
const burst = 10;
const warmSeconds = 0.7;

/** With 1,000 subscribers: one event at a time, ten in a tick, and at 50,000 and 20,000 deliveries a second. */
export const thousand = (one: Contender, seconds: number) =>
  withServer(one, async (server) => {
    const load = await startLoad(one, server, { connections: subscribers });
    await flood(server, load, subscribers, 1, warmSeconds);
    const single = await flood(server, load, subscribers, 1, seconds);
    await flood(server, load, subscribers, burst, warmSeconds / 2);
    const bursts = await flood(server, load, subscribers, burst, seconds);
    const paced = await pace(server, load, subscribers, 50_000 / subscribers, Math.round(seconds * 1.5));
    const calm = await pace(server, load, subscribers, 20_000 / subscribers, Math.round(seconds * 2));
    await load.stop();
    return { single, burst: bursts, paced, calm };
  });

/** With 5,000 connections: memory while nothing happens (KiB for one), then one event at a time. */
export const fiveThousand = (one: Contender, seconds: number) =>
  withServer(one, async (server) => {
    const connections = 5000;
    const before = await filled(one, server, { connections: 2500 }, (load) =>
      flood(server, load, 2500, 1, warmSeconds / 2),
    );
    const load = await startLoad(one, server, { connections });
    const bytes = (await memory(server)) - before.bytes;
    await before.load.stop();
    await flood(server, load, connections, 1, warmSeconds / 2);
    const single = await flood(server, load, connections, 1, seconds);
    await load.stop();
    return { single, idleKib: bytes / connections / 1024 };
  });

const memory = async (server: Server) => (await server.ask<{ bytes: number }>({ do: 'memory' })).bytes;

/** Some connections that stay: they fill the room that starting has left free, which would hide what others cost. */
async function filled(one: Contender, server: Server, options: LoadOptions, use: (load: Load) => Promise<unknown>) {
  const load = await startLoad(one, server, options);
  await use(load);
  return { load, bytes: await memory(server) };
}

/**
 * What readers notice of others: they are by themselves, beside 200 more that read, and beside 200 that never read, while
 * what the system holds for these fills up and afterwards. 4 MB come for each at least, which is more than the kernel takes.
 */
export const stalled = (one: Contender) =>
  withServer(one, async (server) => {
    const [crowd, readers, perSecond] = [200, 20, 4000];
    const load = await startLoad(one, server, { connections: readers });
    const watch = async (rounds: number, seconds = 2) => {
      const found: Fanout[] = [];
      while (found.length < rounds) found.push(await pace(server, load, readers, perSecond, seconds));
      return noticed(found);
    };
    const alone = await watch(3);
    const reading = await startLoad(one, server, { connections: crowd });
    const besideReading = await watch(1);
    await reading.stop();
    const silence = () => startLoad(one, server, { connections: crowd, stalled: crowd });
    const kernelBefore = kernelSocketBytes();
    // The first of them take the room that starting has left free.
    const silent = [await silence()];
    const besideFilling = await watch(1, 5);
    const kernelKib = (kernelSocketBytes() - kernelBefore) / crowd / 1024;
    const besideStalled = await watch(3);
    // Of what is read twice, the first gives back what earlier loads have left.
    await memory(server);
    await watch(1);
    const before = await memory(server);
    silent.push(await silence());
    await watch(1, 4);
    const kib = ((await memory(server)) - before) / crowd / 1024;
    await Promise.all([load, ...silent].map((each) => each.stop()));
    return { kib, kernelKib, alone, besideReading, besideFilling, besideStalled };
  });

/** What readers had in several rounds: medians, and all that they missed. */
const noticed = (found: readonly Fanout[]) => ({
  p50: median(found.map(({ p50 }) => p50)),
  p99: median(found.map(({ p99 }) => p99)),
  cpuMicros: median(found.map(({ cpuMicros }) => cpuMicros)),
  missing: found.reduce((sum, { missing }) => sum + missing, 0),
});

/** How long one client that was away for 10,000 kept events needs for them. */
export const resume = (one: Contender) =>
  withServer(one, async (server) => {
    const missed = 10_000;
    await server.ask({ do: 'keep', amount: missed });
    const load = await startLoad(one, server, { connections: 1, query: '&lastEventId=0' });
    let counted = await load.count();
    for (let looked = 0; counted.events < missed && looked < 30; looked++) counted = await load.count();
    await load.stop();
    return { ms: counted.seconds * 1000, missing: missed - counted.events };
  });
