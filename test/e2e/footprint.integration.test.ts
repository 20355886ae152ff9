// What a run leaves behind: little on disk, and nothing in memory once it has ended.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { asBuilt } from '../support/child/build.ts';
import { createChildServer } from '../support/child-server.ts';
import { openStage, type Stage } from '../support/stage.ts';

const Database = createRequire(import.meta.url)('libsql');
const runs = 30;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ RIVULET_STREAM_MEGABYTES: '1' });
  stage.cast({
    work: ({ turn }) => (turn < 2 ? { calls: [['run_progress', { summary: `step ${turn}` }]] } : { text: ['Done.'] }),
  });
});
afterAll(() => stage.close());

async function work(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 10) {
    const made = await Promise.all(Array.from({ length: Math.min(10, left) }, () => stage.start('Work in steps.')));
    for (const { id } of made) expect((await stage.end(id)).status).toBe('Completed');
  }
}

/** Bytes in use in the database's file. */
function stored(): number {
  const db = new Database(join(stage.server.config.dataDir, 'rivulet.db'));
  const number = (pragma: string) => Object.values(db.prepare(`PRAGMA ${pragma}`).get())[0] as number;
  const bytes = (number('page_count') - number('freelist_count')) * number('page_size');
  db.close();
  return bytes;
}

async function gauges(name: string): Promise<Record<string, number>> {
  const { body } = await stage.server.call('GET', '/metrics');
  const found = String(body).matchAll(new RegExp(`^rivulet_${name}\\{\\w+="(\\w+)"\\} (\\d+)`, 'gm'));
  return Object.fromEntries([...found].map(([, label, value]) => [label, Number(value)]));
}

test('a run of three turns takes at most 40 KB on disk', async () => {
  await work(runs);
  const before = stored();
  await work(runs);
  expect((stored() - before) / runs).toBeLessThanOrEqual(40_000);
});

test('runs that have ended leave nothing in the engine, and streams keep to their memory', async () => {
  await work(runs);
  const { windows = 0, topics = 0 } = await gauges('stream_bytes');
  expect(windows + topics).toBeLessThan(1_200_000);
  const busy = ['live', 'owed', 'told', 'published', 'summaries', 'treeAsks', 'watchers', 'poolWaiters'];
  const left = async () => {
    const held = await gauges('engine_entries');
    return busy.map((list) => [list, held[list]]);
  };
  await expect.poll(left).toEqual(busy.map((list) => [list, 0]));
});

// In a process of its own: what other files leave behind does not count.
test.skipIf(process.platform !== 'linux')('a server that nobody asks for anything lets its process sleep', async () => {
  const server = await createChildServer({}, asBuilt);
  await server.start();
  const client = createClient({ baseUrl: server.baseUrl, token: server.key });
  const { id } = await client.agentRuns.create({ body: { goal: 'Hello', modelId: 'scripted:echo', autoStart: true } });
  await expect.poll(async () => (await client.agentRuns.get({ params: { id } })).status).toBe('Completed');
  /** Ticks of CPU, a hundredth of a second each; proc(5). */
  const ticks = () => {
    const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  let last = ticks();
  const ticksSince = () => {
    const now = ticks();
    const used = now - last;
    last = now;
    return used;
  };
  await expect.poll(ticksSince, { interval: 1000 }).toBeLessThan(10);
  await server.close();
});
