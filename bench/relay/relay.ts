// What passing a token on costs: its delay and processor time from a provider to a client through /v1/chat/completions,
// beside a bare pass-through proxy and no relay at all. Every part has a process of its own, and the server is built and
// started as users start it: `tsx bench/relay/relay.ts`.
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { join } from 'node:path';
import { bundle, startFlags } from '../bundle.ts';
import { describeMachine } from '../machine.ts';
import { cpuSeconds } from '../process-cost.ts';
import { fixed, median, table, writeResults, writeSection } from '../report.ts';
import type { Load, Seen } from './load.ts';

const kinds = ['none', 'proxy', 'uws', 'node'] as const;
type Kind = (typeof kinds)[number];
const labels: Record<Kind, string> = {
  none: 'no relay',
  proxy: 'bare proxy, node:http',
  uws: 'rivulet, uws',
  node: 'rivulet, node',
};
const concurrency = [100, 500];
const rounds = 3;
const timing = { warmMs: 3_000, measureMs: 4_000 };

const message = <T>(child: ChildProcess) =>
  new Promise<T>((resolve, reject) => {
    child.once('message', (said) => resolve(said as T));
    child.once('exit', (code) => reject(new Error(`${child.spawnargs.at(-1)} ended with ${code}`)));
  });
const stdio: ForkOptions['stdio'] = ['ignore', 'ignore', 'inherit', 'ipc'];
const start = (file: string, ...args: string[]) => fork(join(import.meta.dirname, file), args, { stdio });

interface Relay {
  child: ChildProcess | null;
  port: number;
  key: string | null;
}

async function open(kind: Kind, provider: number): Promise<Relay> {
  if (kind === 'none') return { child: null, port: provider, key: null };
  const child =
    kind === 'proxy'
      ? start('proxy.ts', String(provider))
      : fork(rivulet, [String(provider), kind], { execArgv: startFlags(), stdio });
  const { port, key = null } = await message<{ port: number; key?: string }>(child);
  return { child, port, key };
}

/** Asked of the kernel: a relay that is busy would answer too late. */
const cpuOf = ({ child }: Relay): number => (child?.pid === undefined ? 0 : cpuSeconds([child.pid]) * 1e6);

interface Result extends Seen {
  cpuMicros: number;
}

async function measure(relay: Relay, streams: number): Promise<Result> {
  const load = start('load.ts');
  await message(load);
  const measuring = message(load);
  load.send({ ...timing, port: relay.port, key: relay.key, streams } satisfies Load);
  await measuring;
  const seen = message<Seen>(load);
  const before = cpuOf(relay);
  const result = await seen;
  const cpuMicros = cpuOf(relay) - before;
  load.kill();
  if (result.failures > 0) throw new Error(`${result.failures} of ${streams} answers failed`);
  return { ...result, cpuMicros: cpuMicros / result.tokens };
}

/** Of all rounds, in turns, so that what else the machine does falls on all kinds alike. */
async function measureAll(provider: number, streams: number): Promise<Record<Kind, Result[]>> {
  const results: Record<Kind, Result[]> = { none: [], proxy: [], uws: [], node: [] };
  for (let turn = 0; turn < rounds; turn++) {
    for (const kind of kinds) {
      const relay = await open(kind, provider);
      results[kind].push(await measure(relay, streams));
      relay.child?.kill();
    }
  }
  return results;
}

function tableOf(streams: number, results: Record<Kind, Result[]>): string {
  const least = (kind: Kind, field: 'p50Ms' | 'p99Ms') => Math.min(...results[kind].map((result) => result[field]));
  const middle = (kind: Kind, field: 'cpuMicros' | 'tokens') => median(results[kind].map((result) => result[field]));
  const rows = kinds.map((kind) => {
    const added = (['p50Ms', 'p99Ms'] as const).map((field) => least(kind, field) - least('none', field));
    return [
      labels[kind],
      fixed((middle(kind, 'tokens') * 1000) / timing.measureMs, 0),
      ...(kind === 'none'
        ? ['–', '–', '–']
        : [...added.map((ms) => fixed(ms, 2)), fixed(middle(kind, 'cpuMicros'), 0)]),
    ];
  });
  return table([`${streams} answers at once`, 'tokens/s', 'added p50, ms', 'added p99, ms', 'CPU, µs a token'], rows);
}

const rivulet = await bundle(join(import.meta.dirname, 'rivulet.ts'));
const machine = describeMachine();
const provider = start('provider.ts');
const { port } = await message<{ port: number }>(provider);
const tables: string[] = [];
const all: Record<number, Record<Kind, Result[]>> = {};
for (const streams of concurrency) {
  all[streams] = await measureAll(port, streams);
  tables.push(tableOf(streams, all[streams]));
  console.log(`\n${tables.at(-1)}`);
}
provider.kill();
const at = new Date().toISOString();
writeResults('relay', { machine, at, all });
writeSection('relay', [...tables, `Measured on ${at.slice(0, 10)}: ${machine}.`].join('\n\n'));
