// A read through the whole pipeline, on both transports, beside fastify routes, bare and logging: `tsx bench/http/http.ts`.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { bundle, startFlags } from '../bundle.ts';

const kinds = {
  fastify: 'fastify, bare route',
  'fastify-logging': 'fastify, bare route and its log',
  uws: 'rivulet, uws',
  node: 'rivulet, node',
} as const;
type Kind = keyof typeof kinds;
const each = Object.keys(kinds) as Kind[];
const connections = 64;
const seconds = 3;
const rounds = 3;

const program = await bundle(join(import.meta.dirname, 'server.ts'));

const message = <T>(child: ChildProcess) => new Promise<T>((resolve) => child.once('message', (m) => resolve(m as T)));

interface Rate {
  'requests/s': number;
  /** Processor time of the server for one request, which a busy machine changes less. */
  'CPU µs each': number;
  'p50 ms': number;
  'p99 ms': number;
}

async function open(kind: Kind) {
  const child = fork(program, [kind], { execArgv: startFlags(), stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const { port, key } = await message<{ port: number; key: string }>(child);
  const cpu = async () => {
    const answer = message<{ cpuMicros: number }>(child);
    child.send('cpu');
    return (await answer).cpuMicros;
  };
  const load = (duration: number) =>
    autocannon({
      url: `http://127.0.0.1:${port}/api/items/42?full=true`,
      connections,
      duration,
      headers: { authorization: `Bearer ${key ?? ''}` },
    });
  await load(1);
  return { child, cpu, load };
}

async function measure(server: Awaited<ReturnType<typeof open>>): Promise<Rate> {
  const before = await server.cpu();
  const result = await server.load(seconds);
  const cpuMicros = (await server.cpu()) - before;
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx + result.errors} requests failed`);
  return {
    'requests/s': Math.round(result.requests.average),
    'CPU µs each': Math.round((10 * cpuMicros) / result.requests.total) / 10,
    'p50 ms': result.latency.p50,
    'p99 ms': result.latency.p99,
  };
}

// The servers take turns, so that what else the machine does falls on all of them.
const rates = new Map<Kind, Rate[]>(each.map((kind) => [kind, []]));
for (let round = 0; round < rounds; round++) {
  for (const kind of each) {
    const server = await open(kind);
    rates.get(kind)?.push(await measure(server));
    server.child.kill();
  }
}
const cpu = (rate: Rate) => rate['CPU µs each'];
const best = (kind: Kind) => rates.get(kind)?.sort((a, b) => cpu(a) - cpu(b))[0] as Rate;
const times = (peer: Kind, rate: Rate) => Math.round((100 * cpu(best(peer))) / cpu(rate)) / 100;
console.table(
  Object.fromEntries(
    each.map((kind) => {
      const rate = best(kind);
      const ratios = { '× bare, by CPU': times('fastify', rate), '× logging': times('fastify-logging', rate) };
      return [kinds[kind], { ...rate, ...ratios }];
    }),
  ),
);
