// What runs leave behind while many pass at full speed in a small heap: `tsx bench/footprint/footprint.ts [--runs 5000] [--heap 512]`.
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from '../bundle.ts';
import { startProvider } from '../engine/contest/contest.ts';
import { call } from '../engine/contest/http.ts';
import { describeMachine } from '../machine.ts';
import { fixed, table, writeResults } from '../report.ts';
import type { Footprint } from './server.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '5000' }, heap: { type: 'string', default: '512' } },
});
const runs = Number(values.runs);
/** Runs at work at once, and how often is measured. */
const atOnce = 32;
const steps = 10;

const key = 'rvt_key-of-the-benchmark-0123456789012';
const authorization = { authorization: `Bearer ${key}` };
const folder = await mkdtemp(join(tmpdir(), 'rivulet-bench-'));
const provider = await startProvider();
const child = fork(await bundle(join(import.meta.dirname, 'server.ts')), {
  execArgv: ['--expose-gc', `--max-old-space-size=${values.heap}`],
  env: {
    PATH: process.env.PATH,
    RIVULET_DATA: folder,
    RIVULET_PORT: '0',
    RIVULET_ADMIN_KEY: key,
    RIVULET_SANDBOX: 'off',
    RIVULET_MODEL: 'openai:fake-model',
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: provider.url,
  },
});
const next = <T>() =>
  new Promise<T>((resolve, reject) => {
    child.once('message', (message) => resolve(message as T));
    child.once('exit', (code, signal) => reject(new Error(`the server ended with ${code ?? signal}`)));
  });
child.setMaxListeners(0);
const { url } = await next<{ url: string }>();

async function work(count: number): Promise<void> {
  let left = count;
  const one = async () => {
    const draft = { goal: 'Work in steps.', autoStart: true };
    const made = (await call(`${url}/api/agent/runs`, 'POST', draft, authorization)) as { data: { id: number } };
    const path = `${url}/api/agent/runs/${made.data.id}/wait?timeoutMs=60000`;
    const { data } = (await call(path, 'GET', undefined, authorization)) as { data: { status: string } };
    if (data.status !== 'Completed') throw new Error(`a run is ${data.status}`);
  };
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await one();
    }),
  );
}

const measure = () => {
  const answer = next<Footprint>();
  child.send('measure');
  return answer;
};

const rows: { runs: number; found: Footprint }[] = [{ runs: 0, found: await measure() }];
for (let step = 1; step <= steps; step++) {
  await work(Math.ceil(runs / steps));
  rows.push({ runs: step * Math.ceil(runs / steps), found: await measure() });
}
child.disconnect();
provider.stop();
await rm(folder, { recursive: true, force: true });

const megabytes = (bytes: number) => fixed(bytes / 1e6);
const machine = describeMachine();
writeResults('footprint', { machine, at: new Date().toISOString(), heap: values.heap, rows });
console.log(machine);
console.log(
  table(
    ['runs', 'heap, MB', 'process, MB', 'disk a run, KB'],
    rows.map(({ runs: passed, found }) => [
      String(passed),
      megabytes(found.heapBytes),
      megabytes(found.rssBytes),
      passed === 0 ? '' : fixed((found.diskBytes - (rows[0]?.found.diskBytes ?? 0)) / passed / 1000),
    ]),
  ),
);
