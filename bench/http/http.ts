// A read through the whole pipeline, on both transports, beside a bare fastify route: `tsx bench/http/http.ts`.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import autocannon from 'autocannon';

const kinds = ['fastify', 'uws', 'node'] as const;
const connections = 64;
const seconds = 3;
const rounds = 3;

const message = <T>(child: ChildProcess) => new Promise<T>((resolve) => child.once('message', (m) => resolve(m as T)));

interface Rate {
  'requests/s': number;
  /** Processor time of the server for one request, which a busy machine changes less. */
  'CPU µs each': number;
  'p50 ms': number;
  'p99 ms': number;
}

async function open(kind: string) {
  const child = fork(join(import.meta.dirname, 'server.ts'), [kind], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
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
const rates = new Map<string, Rate[]>(kinds.map((kind) => [kind, []]));
for (let round = 0; round < rounds; round++) {
  for (const kind of kinds) {
    const server = await open(kind);
    rates.get(kind)?.push(await measure(server));
    server.child.kill();
  }
}
const best = (kind: string) => rates.get(kind)?.sort((a, b) => a['CPU µs each'] - b['CPU µs each'])[0] as Rate;
const bare = best('fastify');
console.table(
  Object.fromEntries(
    kinds.map((kind) => {
      const rate = best(kind);
      const times = Math.round((100 * bare['CPU µs each']) / rate['CPU µs each']) / 100;
      return [kind === 'fastify' ? 'fastify, bare route' : `rivulet, ${kind}`, { ...rate, '× fastify by CPU': times }];
    }),
  ),
);
