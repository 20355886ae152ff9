// The server killed twenty times at random moments while several runs are at work and watched by every kind of client.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { type Follower, followers } from '../support/followers.ts';
import {
  environmentOf,
  type FakeReply,
  type FakeServer,
  type SeenRequest,
  startFakeServer,
} from '../support/openai-server.ts';
import { untilAllMoved } from '../support/runs-at-work.ts';
import { randomOf, seed } from '../support/seed.ts';

const kills = 20;
const runs = 6;
/** Turns of a run; each of them notes its number and a name. */
const turns = 40;

let model: FakeServer;
let server: ChildServer;

/** What a run says next follows from how many tool answers it shows, whatever was killed before. */
function reply({ body }: SeenRequest): FakeReply {
  const done = body.messages.filter(({ role }: { role: string }) => role === 'tool').length / 2;
  if (done >= turns) return { text: ['all ', 'noted'], frameDelayMs: 2 };
  const calls = ['a', 'b'].map((name) => ({
    id: `call-${done}-${name}`,
    name: 'run_note',
    arguments: [JSON.stringify({ content: `${done}${name}` })],
  }));
  return { text: ['Turn ', String(done)], toolCalls: calls, frameDelayMs: 2 };
}

beforeAll(async () => {
  model = await startFakeServer();
  model.otherwise = reply;
  server = await createChildServer(environmentOf(model));
  await server.start();
});
afterAll(async () => {
  await server.close();
  await model.close();
});

it(`completes ${runs} runs through ${kills} kills (seed ${seed})`, async () => {
  const api = () => createClient({ baseUrl: server.baseUrl, token: server.key });
  const next = randomOf(seed);
  const watched: { id: number; name: string; follower: Follower }[] = [];
  const kinds = Object.entries(followers);
  const budget = { maxIterations: turns + 10, maxTokens: 10_000_000 };
  for (let i = 0; i < runs; i++) {
    const { id } = await api().agentRuns.create({ body: { goal: `Note it all, ${i}.`, ...budget } });
    const [name, start] = kinds[i % kinds.length] as (typeof kinds)[number];
    watched.push({ id, name, follower: start({ baseUrl: server.baseUrl, key: server.key, topic: `run:${id}` }) });
    await api().agentRuns.start({ params: { id } });
  }
  const ids = watched.map(({ id }) => id);
  for (let kill = 0; kill < kills; kill++) {
    if (kill % 2 === 1) await untilAllMoved(api(), ids);
    await new Promise((resolve) => setTimeout(resolve, 50 + next() * 900));
    await server.kill();
    await server.start();
  }
  await Promise.all(watched.map(({ follower }) => follower.done));
  const expected = Array.from({ length: turns }, (_, i) => [`${i}a`, `${i}b`]).flat();
  for (const { id, name, follower } of watched) {
    follower.close();
    const run = await api().agentRuns.get({ params: { id } });
    expect([name, run.status, run.progressSummary]).toEqual([name, 'Completed', 'all noted']);
    const notes = await api().agentNotes.list({ params: { runId: id }, query: { pageSize: 200, sort: 'id' } });
    expect(notes.items.map(({ content }) => content).sort()).toEqual([...expected].sort());
    const stored = await api().agentRuns.events({ params: { runId: id }, query: { limit: 1000 } });
    const seen = follower.events.filter(({ type }) => type === 'run.event').map(({ data }) => data.seq);
    expect([name, seen]).toEqual([name, stored.map(({ seq }) => seq)]);
    expect(seen).toEqual(seen.map((_, i) => i + 1));
  }
});
