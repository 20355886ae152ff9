// A server that is killed while it puts runs away: every run shows what it showed, and all that was added since.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { eventsIn } from '../../src/stores/runs/event-packs.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { untilAtRest } from '../support/runs-at-work.ts';
import { killsOf, randomOf, seed } from '../support/seed.ts';

const kills = killsOf(12);
/** Runs that are put away in the time before one kill. */
const atOnce = 30;
/** A run that ended longer ago is put away when it is read, ms. */
const settleMs = 5000;
let server: ChildServer;
beforeAll(async () => {
  server = await createChildServer({ RIVULET_KEY_REQUESTS: '100000' });
  await server.start();
});
afterAll(() => server.close());

const api = () => createClient({ baseUrl: server.baseUrl, token: server.key });
const shown = async (id: number) => ({
  detail: await api().agentRuns.get({ params: { id } }),
  events: await api().agentRuns.events({ params: { runId: id }, query: { limit: 1000 } }),
});

/** Numbers of the stored events of each run, in rows and in packs, and how many details are kept. */
function stored() {
  const file = new Database(join(server.folder, 'rivulet.db'), { readonly: true });
  try {
    const documents = (name: string) =>
      (file.prepare(`SELECT doc FROM d_${name}`).all() as { doc: string }[]).map(({ doc }) => JSON.parse(doc));
    const packed = documents('agent_event_packs').flatMap(eventsIn);
    const numbers = new Map<number, number[]>();
    for (const { runId, seq } of [...documents('agent_events'), ...packed])
      numbers.set(runId, [...(numbers.get(runId) ?? []), seq]);
    const [[kept]] = file.prepare('SELECT count(*) FROM c_run_details').raw().all() as [[number]];
    return { numbers, kept };
  } finally {
    file.close();
  }
}

it(`nothing is lost, doubled or out of date after ${kills} kills (seed ${seed})`, async () => {
  const next = randomOf(seed);
  const ids: number[] = [];
  for (let count = 0; count < kills * atOnce; count++) {
    const body = { goal: `Say hello ${count}.`, modelId: 'scripted:hello', autoStart: true };
    ids.push((await api().agentRuns.create({ body })).id);
  }
  for (const id of ids) await untilAtRest(api(), id);
  const before = new Map(await Promise.all(ids.map(async (id) => [id, await shown(id)] as const)));
  // The server would put them away by itself.
  await server.kill();
  await sleep(settleMs);
  await server.start();
  const notes = new Map<number, string[]>();
  for (let kill = 0; kill < kills; kill++) {
    // Who reads a run has it put away; now and then one is written to meanwhile.
    const reading = Promise.allSettled(
      ids.slice(kill * atOnce, (kill + 1) * atOnce).map(async (id) => {
        await api().agentRuns.get({ params: { id } });
        if (next() > 0.1) return;
        const content = `note ${kill}`;
        await api().agentNotes.create({ params: { runId: id }, body: { content } });
        notes.set(id, [...(notes.get(id) ?? []), content]);
      }),
    );
    await sleep(20 + next() * 150);
    await server.kill();
    await reading;
    await server.start();
  }
  await expect
    .poll(async () => {
      for (const id of ids) await api().agentRuns.get({ params: { id } });
      return stored().kept;
    })
    .toBeGreaterThan(ids.length / 2);
  for (const id of ids) {
    const [was, is] = [before.get(id)!, await shown(id)];
    const added = notes.get(id) ?? [];
    // A note that was not acknowledged may be there, too.
    expect(is.detail.notes!.map(({ content }) => content)).toEqual(expect.arrayContaining(added));
    expect(is.events.slice(0, was.events.length)).toEqual(was.events);
    expect(is.events.map(({ seq }) => seq)).toEqual(is.events.map((_, at) => at + 1));
    expect(is.detail.eventCount).toBe(is.events.length);
    expect(is.detail.recentEvents).toEqual([...is.events].reverse().slice(0, 50));
    if (is.detail.notes!.length === 0) expect(is).toEqual(was);
  }
  const { numbers } = stored();
  for (const id of ids) {
    const found = numbers.get(id)!.sort((a, b) => a - b);
    expect(found).toEqual(found.map((_, at) => at + 1));
  }
});
