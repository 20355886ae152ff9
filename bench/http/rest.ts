// A read through the whole pipeline beside a bare Fastify JSON route, server and load in processes of their own.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

const rounds = 3;
const connections = 64;
const path = '/api/runs/42?detail=1';
const servers = {
  'fastify, bare route': ['fastify'],
  'rivulet on uws': ['uws'],
  'rivulet on node:http': ['node'],
  'rivulet on uws, access log': ['uws', 'log'],
};

interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  cpuPerRequest: number;
}

// Bundled as `npm run build` does it: what tsx adds to every function would be measured too.
const folder = join(import.meta.dirname, '..', '.cache', 'http');
await build({
  entryPoints: ['server.ts', 'load.ts'].map((file) => join(import.meta.dirname, file)),
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
});
const child = (file: string, args: string[]): ChildProcess =>
  fork(join(folder, file), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
const answerOf = async <T>(process: ChildProcess) => (await once(process, 'message'))[0] as T;

async function measure(args: string[]): Promise<Measured> {
  const server = child('server.mjs', args);
  const { port } = await answerOf<{ port: number }>(server);
  const load = child('load.mjs', [String(port), String(connections), '2', '4', path]);
  await answerOf(load);
  server.send('start');
  const seen = await answerOf<{ answers: number; perSecond: number; failures: number; p50: number; p99: number }>(load);
  server.send('stop');
  const { cpuMicroseconds } = await answerOf<{ cpuMicroseconds: number }>(server);
  server.kill();
  await once(server, 'exit');
  if (seen.failures > 0) throw new Error(`${args.join(' ')}: ${seen.failures} requests failed`);
  return { ...seen, cpuPerRequest: cpuMicroseconds / seen.answers };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const results = new Map<string, Measured[]>();
for (let round = 0; round < rounds; round++)
  for (const [name, args] of Object.entries(servers))
    results.set(name, [...(results.get(name) ?? []), await measure(args)]);

const of = (name: string, key: keyof Measured) => median((results.get(name) ?? []).map((result) => result[key]));
const baseline = 'fastify, bare route';
const require = createRequire(import.meta.url);
console.log(
  `GET of 1 KB JSON, ${connections} connections, median of ${rounds} rounds, Node ${process.version}, fastify ${require('fastify/package.json').version}`,
);
console.table(
  Object.fromEntries(
    Object.keys(servers).map((name) => [
      name,
      {
        'requests/s': Math.round(of(name, 'perSecond')),
        'CPU µs/request': Number(of(name, 'cpuPerRequest').toFixed(1)),
        'p50 ms': Number(of(name, 'p50').toFixed(2)),
        'p99 ms': Number(of(name, 'p99').toFixed(2)),
        'of fastify': Number((of(name, 'perSecond') / of(baseline, 'perSecond')).toFixed(2)),
        'of its CPU': Number((of(name, 'cpuPerRequest') / of(baseline, 'cpuPerRequest')).toFixed(2)),
      },
    ]),
  ),
);
