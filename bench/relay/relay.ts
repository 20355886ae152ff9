// What passing a token on costs: its delay and processor time from a provider to a client through /v1/chat/completions,
// beside a bare pass-through proxy and no relay at all. Every part has a process of its own: `tsx bench/relay/relay.ts`.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
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
const timing = { warmMs: 6_000, measureMs: 4_000 };

const message = <T>(child: ChildProcess) => new Promise<T>((resolve) => child.once('message', (m) => resolve(m as T)));
const start = (file: string, ...args: string[]) =>
  fork(join(import.meta.dirname, file), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });

interface Relay {
  child: ChildProcess | null;
  port: number;
  key: string | null;
}

async function open(kind: Kind, provider: number): Promise<Relay> {
  if (kind === 'none') return { child: null, port: provider, key: null };
  const child = kind === 'proxy' ? start('proxy.ts', String(provider)) : start('rivulet.ts', String(provider), kind);
  const { port, key = null } = await message<{ port: number; key?: string }>(child);
  return { child, port, key };
}

async function cpuOf({ child }: Relay): Promise<number> {
  if (!child) return 0;
  const answer = message<{ cpuMicros: number }>(child);
  child.send('cpu');
  return (await answer).cpuMicros;
}

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
  const before = await cpuOf(relay);
  const result = await seen;
  const cpuMicros = (await cpuOf(relay)) - before;
  load.kill();
  if (result.failures > 0) throw new Error(`${result.failures} of ${streams} answers failed`);
  return { ...result, cpuMicros: cpuMicros / result.tokens };
}

const provider = start('provider.ts');
const { port } = await message<{ port: number }>(provider);
const round = (value: number) => Math.round(value * 100) / 100;
for (const streams of concurrency) {
  const results = new Map<Kind, Result[]>(kinds.map((kind) => [kind, []]));
  // They take turns, so that what else the machine does falls on all of them.
  for (let turn = 0; turn < rounds; turn++) {
    for (const kind of kinds) {
      const relay = await open(kind, port);
      results.get(kind)?.push(await measure(relay, streams));
      relay.child?.kill();
    }
  }
  const best = (kind: Kind, field: 'p50Ms' | 'p99Ms' | 'cpuMicros' | 'tokens') =>
    Math.min(...(results.get(kind) ?? []).map((result) => result[field]));
  console.log(
    `\n${streams} answers at once, ${Math.round((best('none', 'tokens') * 1000) / timing.measureMs)} tokens/s`,
  );
  console.table(
    Object.fromEntries(
      kinds.map((kind) => [
        labels[kind],
        {
          'p50 ms': round(best(kind, 'p50Ms')),
          'p99 ms': round(best(kind, 'p99Ms')),
          'added p50 ms': round(best(kind, 'p50Ms') - best('none', 'p50Ms')),
          'added p99 ms': round(best(kind, 'p99Ms') - best('none', 'p99Ms')),
          'CPU µs a token': round(best(kind, 'cpuMicros')),
        },
      ]),
    ),
  );
}
provider.kill();
