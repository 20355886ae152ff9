// How reads and an idle server change as the store grows: `npm run bench -- --only growth`; `--quick` looks only whether it runs.
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bundle, startFlags } from '../bundle.ts';
import { cacheFolder, describeMachine, pin } from '../machine.ts';
import { fixed, median, table, writeResults, writeSection } from '../report.ts';
import { environmentOf, growthKey } from './filled-folder.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    sizes: { type: 'string' },
    rounds: { type: 'string' },
    requests: { type: 'string' },
  },
});
const quick = values.quick ?? false;
const sizes = (values.sizes ?? (quick ? '200,400' : '1000,10000,100000')).split(',').map(Number);
const rounds = quick ? 1 : Number(values.rounds ?? 5);
const requests = quick ? 10 : Number(values.requests ?? 40);
const idleMs = quick ? 1000 : 30_000;
/** For half a minute after a start V8 gives back what the start took, which is no server at rest. */
const settleMs = quick ? 500 : 30_000;
/** Requests of a client that keeps its connection, of each round, for the CPU of a read through the whole pipeline. */
const manyRequests = quick ? 20 : 2000;
/** Requests before the first round: V8 compiles what is called often. */
const warmRequests = quick ? 10 : 6000;
/** Requests of a round to a file that is on the disk alone, fewer than there are runs. */
const coldRequests = quick ? 10 : 800;

/** What is read; `{id}` is a run of the middle. */
const reads = {
  'GET run': '/api/agent/runs/{id}',
  'list, 20 newest': '/api/agent/runs?pageSize=20',
  'list, last page': '/api/agent/runs?pageSize=20&page={last}',
  'list, status and role': '/api/agent/runs?pageSize=20&status=Failed&role=coder',
  'list, by cost': '/api/agent/runs?pageSize=20&sort=-costUsd',
  'list, `q` of one run': '/api/agent/runs?pageSize=20&q=case%20{id},',
  'list, `q` of a fifth': '/api/agent/runs?pageSize=20&q=nightly',
  'list, `q` without a match': '/api/agent/runs?pageSize=20&q=zeppelin',
  'events of a run': '/api/agent/runs/{id}/events',
  'analytics, totals': '/api/agent/analytics',
  'analytics, matrix': '/api/agent/analytics/matrix',
  'analytics, 30 days by role': '/api/agent/analytics/timeseries?groupBy=Role',
  'usage, 30 days by model': '/api/ai-router/usage?groupBy=Model',
  'usage, 30 days by day': '/api/ai-router/usage/timeseries',
  'recorded calls, 20 newest': '/api/ai-router/usage/calls?pageSize=20',
  'chats, 20 newest': '/api/chat/sessions?pageSize=20',
} as const;
type Read = keyof typeof reads;

interface State {
  cpuMicros: number;
  /** The longest time between two looks at the loop, and the CPU time that the loop's own work took in one. */
  stallMs: number;
  workMs: number;
  rss: number;
}

const program = await bundle(join(import.meta.dirname, 'server.ts'));
const constant = await bundle(join(import.meta.dirname, 'constant.ts'));

async function fetchText(url: string, agent: Agent): Promise<string> {
  const asked = request(url, { agent, headers: { authorization: `Bearer ${growthKey}` } }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const body = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode} ${body.slice(0, 200)}`);
  return body;
}

async function open(runs: number) {
  const folder = join(cacheFolder('growth'), String(runs));
  execFileSync('npx', ['tsx', join(import.meta.dirname, 'make-folder.ts'), folder, String(runs)], { stdio: 'inherit' });
  // Lines of the access log are made as ever; nobody reads them.
  const env = { PATH: process.env.PATH, ...environmentOf(folder), RIVULET_LOG: 'info' };
  const started = performance.now();
  const child: ChildProcess = fork(program, [], {
    execArgv: startFlags(),
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  const startMs = performance.now() - started;
  pin(child.pid, 0);
  const ask = async (what: 'state' | 'watch' | 'rest'): Promise<State> => {
    const answer = once(child, 'message');
    child.send(what);
    return (await answer)[0];
  };
  const path = (read: string, id = Math.ceil(runs / 2)) =>
    read.replaceAll('{id}', String(id)).replace('{last}', String(Math.ceil(runs / 20)));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = (read: Read) => fetchText(url + path(reads[read]), agent);
  /** One of more runs, or of more pages, than a server keeps the texts of. */
  const other = {
    'GET run': (at: number) => fetchText(url + path(reads['GET run'], 1 + ((at * 7919) % runs)), agent),
    'list, 20 newest': (at: number) => fetchText(`${url}${reads['list, 20 newest']}&page=${1 + (at % 50)}`, agent),
  };
  // How much of the file the kernel has in memory is up to what the machine did before.
  const dd = (...options: string[]) =>
    void execFileSync('dd', [`if=${join(folder, 'rivulet.db')}`, 'of=/dev/null', ...options], { stdio: 'ignore' });
  const file = { toMemory: () => dd('bs=1M'), outOfMemory: () => dd('iflag=nocache', 'count=0') };
  const get = async (read: Read): Promise<number> => {
    const began = performance.now();
    await body(read);
    return performance.now() - began;
  };
  const close = async () => {
    const ended = once(child, 'exit');
    agent.destroy();
    child.kill();
    await ended;
  };
  return { runs, startMs, ask, body, other, file, get, close };
}
type Server = Awaited<ReturnType<typeof open>>;

interface Figures {
  ms: number[];
  cpuMicros: number[];
  stallMs: number[];
}

const kept = new Map<string, Figures>();
const figures = (read: string, runs: number): Figures => {
  const name = `${read}/${runs}`;
  const known = kept.get(name) ?? { ms: [], cpuMicros: [], stallMs: [] };
  kept.set(name, known);
  return known;
};

/** One after the other, so that a request's time is its own. */
async function measure(server: Server, read: Read): Promise<void> {
  for (let warm = 0; warm < 3; warm++) await server.get(read);
  const times: number[] = [];
  const before = await server.ask('watch');
  for (let sent = 0; sent < requests; sent++) times.push(await server.get(read));
  const after = await server.ask('state');
  const found = figures(read, server.runs);
  found.ms.push(median(times));
  found.cpuMicros.push((after.cpuMicros - before.cpuMicros) / requests);
  found.stallMs.push(after.stallMs);
}

/** CPU while nobody looks, then the longest stall while somebody does. */
async function idle(server: Server): Promise<{ share: number; stallMs: number; workMs: number }> {
  await sleep(settleMs);
  const before = await server.ask('rest');
  const began = performance.now();
  await sleep(idleMs);
  const after = await server.ask('watch');
  const share = (after.cpuMicros - before.cpuMicros) / 1000 / (performance.now() - began);
  await sleep(idleMs);
  const { stallMs, workMs } = await server.ask('state');
  return { share, stallMs, workMs };
}

/** CPU of one request among `count`, µs; the first is number `from`. */
async function cpuOf({ get, cpu }: Target, from: number, count: number): Promise<number> {
  const before = await cpu();
  for (let at = from; at < from + count; at++) await get(at);
  return ((await cpu()) - before) / count;
}

/** What is asked often, and the CPU time of the process that answers, µs. */
interface Target {
  get(at: number): Promise<unknown>;
  cpu(): Promise<number>;
}

interface MeasuredTarget extends Target {
  row: string;
  runs: number;
  /** Before each round. */
  prepare?(): void;
  /** Number of the first round's first request. */
  first: number;
  /** Requests of a round. */
  count: number;
  /** CPU of a request, of each round. */
  micros: number[];
}

/** A bare Fastify route, on the same core, whose answer is as long. */
async function openConstant(body: string): Promise<Target & { close(): void }> {
  const child = fork(constant, [], { execArgv: startFlags(), stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  pin(child.pid, 0);
  const ask = async (message: object): Promise<number> => {
    const answer = once(child, 'message');
    child.send(message);
    return (await answer)[0].cpuMicros;
  };
  await ask({ body });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const close = () => {
    agent.destroy();
    child.disconnect();
  };
  return { get: () => fetchText(url, agent), cpu: () => ask({}), close };
}

/** Rows of the table: CPU of a read through the whole pipeline, in rounds in which the servers take turns. */
async function cpuRows(read: 'GET run' | 'list, 20 newest'): Promise<string[][]> {
  const targets: MeasuredTarget[] = [];
  const constants: { close(): void }[] = [];
  for (const server of servers) {
    const { runs, file } = server;
    const cpu = async () => (await server.ask('rest')).cpuMicros;
    const bare = await openConstant(await server.body(read));
    constants.push(bare);
    const many = { runs, first: warmRequests, count: manyRequests };
    const others = { get: server.other[read], cpu };
    targets.push(
      { row: `${read}: CPU of a request, µs`, ...many, get: () => server.get(read), cpu, micros: [] },
      { row: 'the same, each time another one', ...many, ...others, prepare: file.toMemory, micros: [] },
      {
        row: 'the same, none of the file in the memory of the kernel',
        ...others,
        runs,
        prepare: file.outOfMemory,
        first: warmRequests + rounds * manyRequests,
        count: coldRequests,
        micros: [],
      },
      { row: 'a bare Fastify route with a constant text of that size, µs', ...many, ...bare, micros: [] },
    );
  }
  for (const target of targets) await cpuOf(target, 0, warmRequests);
  for (let round = 0; round < rounds; round++) {
    for (const target of targets) {
      target.prepare?.();
      target.micros.push(await cpuOf(target, target.first + round * target.count, target.count));
    }
  }
  for (const { close } of constants) close();
  writeResults(
    `growth-cpu-${read.split(/\W/)[0]}`,
    Object.fromEntries(targets.map(({ row, runs, micros }) => [`${row}/${runs}`, micros])),
  );
  const cell = ({ micros }: MeasuredTarget) =>
    `${fixed(median(micros), 0)} (${fixed(Math.min(...micros), 0)} to ${fixed(Math.max(...micros), 0)})`;
  const rows = [...new Set(targets.map(({ row }) => row))];
  return rows.map((name) => [name, ...targets.filter(({ row }) => row === name).map(cell)]);
}

const machine = describeMachine();
const starts = new Map<number, number[]>(sizes.map((runs) => [runs, []]));
const idles: string[] = [];
// The first start of a new version may bring the file's layout up to date.
for (const runs of sizes) await (await open(runs)).close();
for (let round = 0; round < Math.min(rounds, 3); round++) {
  for (const runs of sizes) {
    const server = await open(runs);
    starts.get(runs)!.push(server.startMs);
    await server.close();
  }
}
const servers: Server[] = [];
for (const runs of sizes) servers.push(await open(runs));
for (const { share, stallMs, workMs } of await Promise.all(servers.map(idle)))
  idles.push(`${fixed(100 * share, 2)} % / ${fixed(stallMs)} ms / ${fixed(workMs)} ms`);
for (let round = 0; round < rounds; round++) {
  for (const read of Object.keys(reads) as Read[]) {
    for (const server of servers) await measure(server, read);
  }
}
const cpus = [...(await cpuRows('GET run')), ...(await cpuRows('list, 20 newest'))];
for (const server of servers) await server.close();

/** CPU of a child in trees of ten and of a thousand, in interleaved rounds. */
const trees = quick
  ? ['not measured']
  : execFileSync('npx', ['tsx', join(import.meta.dirname, '../engine/trees.ts')], { encoding: 'utf8' })
      .trim()
      .split('\n');

const head = ['', ...sizes.map((runs) => `${runs.toLocaleString('en')} runs`)];
const cell = (read: Read, runs: number) => {
  const { ms, cpuMicros } = figures(read, runs);
  return `${fixed(median(ms))} ms (${fixed(median(cpuMicros) / 1000, 2)} ms of CPU)`;
};
const startRow = sizes.map((runs) => fixed(median(starts.get(runs)!) / 1000, 2));
const rows = (Object.keys(reads) as Read[]).map((read) => [read, ...sizes.map((runs) => cell(read, runs))]);
const section = [
  table(head, [
    ['start, s', ...startRow],
    ['idle: share of a core / longest stall / longest work of its own at a stretch', ...idles],
    ...cpus,
    ...rows,
  ]),
  `CPU of a child of a tree, engine and store in one process, medians of interleaved rounds (and each of them): ${trees.join('; ')}.`,
  `Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}. Medians of ${rounds} interleaved rounds of ${requests} requests, one after the other; stalls are those beyond the 5 ms between two looks at the loop; load average at the end ${loadavg()[0]!.toFixed(1)}.`,
].join('\n\n');
console.log(section);
writeResults('growth', Object.fromEntries(kept));
if (!quick && !values.sizes) writeSection('growth', section);
process.exit();
