// What runs leave behind while many pass at full speed in a small heap: `tsx bench/footprint/footprint.ts [--runs 5000] [--minutes 60] [--heap 512]`.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle, startFlags } from '../bundle.ts';
import { startProvider } from '../engine/contest/contest.ts';
import { call } from '../engine/contest/http.ts';
import { describeMachine } from '../machine.ts';
import { fixed, table, writeResults } from '../report.ts';
import type { Footprint, Question } from './server.ts';
import { startViewers } from './viewers.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5000' },
    minutes: { type: 'string', default: '60' },
    heap: { type: 'string', default: '512' },
    /** Seconds from one measurement to the next. */
    every: { type: 'string', default: '30' },
    /** A file for a heap snapshot at the end. */
    snapshot: { type: 'string' },
  },
});
const runs = Number(values.runs);
const until = performance.now() + Number(values.minutes) * 60_000;
/** Runs at work at once. */
const atOnce = 32;
const turns = 3;

const key = 'rvt_key-of-the-benchmark-0123456789012';
const authorization = { authorization: `Bearer ${key}` };
const folder = await mkdtemp(join(tmpdir(), 'rivulet-bench-'));
const provider = await startProvider(turns);
const child = fork(await bundle(join(import.meta.dirname, 'server.ts')), {
  execArgv: [...startFlags(), '--expose-gc', `--max-old-space-size=${values.heap}`],
  env: {
    PATH: process.env.PATH,
    // A library to look into the allocator, or its own settings.
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(MALLOC_|LD_PRELOAD$)/.test(name))),
    RIVULET_DATA: folder,
    RIVULET_PORT: '0',
    RIVULET_ADMIN_KEY: key,
    RIVULET_SANDBOX: 'off',
    RIVULET_MODEL: 'openai:fake-model',
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: provider.url,
  },
});
const ended = once(child, 'exit').then(([code, signal]) => {
  throw new Error(`the server ended with ${code ?? signal}`);
});
// Rejected later than it is waited for at the end, where it is no failure.
ended.catch(() => undefined);
const next = <T>() => Promise.race([once(child, 'message').then(([message]) => message as T), ended]);
const ask = <T>(question: Question) => {
  const answer = next<T>();
  child.send(question);
  return answer;
};

const { url } = await next<{ url: string }>();
const viewers = startViewers({ url, token: key }, { streams: 16, sockets: 4 });
let passed = 0;
const failures: string[] = [];
const mostFailures = 100;
let begun = 0;

async function run(): Promise<void> {
  const draft = { goal: 'Work in steps.', autoStart: true };
  const made = (await call(`${url}/api/agent/runs`, 'POST', draft, authorization)) as { data: { id: number } };
  viewers.started(made.data.id);
  const path = `${url}/api/agent/runs/${made.data.id}/wait?timeoutMs=60000`;
  const { data } = (await call(path, 'GET', undefined, authorization)) as { data: { status: string } };
  if (data.status !== 'Completed') throw new Error(`a run is ${data.status}`);
  passed++;
}

/** What the metrics page says of topics in memory, in bytes. */
async function topicBytes(): Promise<number> {
  const answer = await fetch(`${url}/api/system/metrics`, { headers: authorization });
  return Number(/^rivulet_stream_bytes\{holder="topics"\} (\S+)$/m.exec(await answer.text())?.[1] ?? Number.NaN);
}

type Row = Footprint & { at: number; runs: number; topics: number; viewed: ReturnType<typeof viewers.counts> };
const rows: Row[] = [];
const began = performance.now();
async function measure(): Promise<void> {
  const topics = (await topicBytes()) / 2048;
  const found = await ask<Footprint>({ measure: true });
  const row = { ...found, at: performance.now() - began, runs: passed, topics, viewed: viewers.counts() };
  rows.push(row);
  console.log(cells(row).join('\t'));
}

const megabytes = (bytes: number) => fixed(bytes / 1e6);
const heads = [
  'minute',
  'runs',
  'heap, MB',
  'held for it, MB',
  'external, MB',
  'process, MB',
  'topics',
  'descriptors',
  'CPU a run, ms',
];
function cells(row: Row): string[] {
  const before = rows[rows.indexOf(row) - 1];
  const cpu = before ? (row.cpuMs - before.cpuMs) / (row.runs - before.runs) : Number.NaN;
  const sizes = [row.heap, row.committed, row.external, row.rss].map(megabytes);
  return [fixed(row.at / 60_000), String(row.runs), ...sizes, String(row.topics), String(row.descriptors), fixed(cpu)];
}

console.log(heads.join('\t'));
await measure();
const working = Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (begun < runs && performance.now() < until) {
      begun++;
      // A machine that stands still for half a minute is told at the end; it is no reason to lose an hour.
      await run().catch((error) => {
        failures.push(String(error));
        if (failures.length > mostFailures) throw error;
      });
    }
  }),
);
let over = false;
const done = working.finally(() => {
  over = true;
});
while (!over) {
  const soon = new AbortController();
  const pause = new Promise((resolve) => {
    const timer = setTimeout(resolve, Number(values.every) * 1000);
    soon.signal.addEventListener('abort', () => clearTimeout(timer));
  });
  await Promise.race([pause, done, ended]);
  soon.abort();
  await measure();
}
await done;
await viewers.stop();
await measure();
if (values.snapshot) await ask<string>({ snapshot: values.snapshot });
child.disconnect();
provider.stop();
await ended.catch(() => undefined);
await rm(folder, { recursive: true, force: true });

const machine = describeMachine();
const disk = ((rows.at(-1)?.disk ?? 0) - (rows[0]?.disk ?? 0)) / passed / 1000;
writeResults('footprint', { machine, at: new Date().toISOString(), heap: values.heap, rows });
console.log(
  `${machine}\n${table(heads, rows.map(cells))}\n${fixed(disk)} KB of disk a run\n${failures.length} runs failed ${failures[0] ?? ''}`,
);
