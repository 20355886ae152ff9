// The demo on a server that is killed: it takes away what it has made, whenever its making was cut short, and nothing else.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentRunDto, createClient } from '../../src/client/index.ts';
import type { DemoScenario } from '../../src/contract/enums.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { collections } from '../../src/wiring/storage.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';

const patience = { timeout: 60_000, interval: 50 };
let server: ChildServer;
beforeAll(async () => {
  server = await createChildServer();
  await server.start();
});
afterAll(() => server.close());

const api = () => createClient({ baseUrl: server.baseUrl, token: server.key });
const reset = () => api().demo.reset({ body: { confirm: true } });

/** What stays on record, and what the server notes of itself. */
const onRecord = new Set([
  ...['audit_events', 'audit_heads', 'ai_calls', 'counters', 'idempotency_keys', 'server_state', 'duties'],
  ...['log_chunks', 'log_bodies', 'stream_topics', 'stream_events', 'agent_nodes', 'believed_times'],
  // What an identity was like stays with its name, and that somebody had signed in.
  ...['soul_versions', 'auth_sessions'],
  // What runs have used is billed, also when they are gone.
  'agent_removed_runs',
]);

/** Rows of every collection that somebody could still find; of what is removed softly a name stays. */
async function rows(): Promise<Record<string, number>> {
  await server.stop();
  const db = openEmbeddedDb({ folder: server.folder, clock: systemClock, logger: silentLogger });
  const counts: Record<string, number> = {};
  for (const spec of collections) {
    const all = await db
      .collection<{ _id: number; deletedAt?: unknown }>(spec as never)
      .find({})
      .toArray();
    const there = all.filter(({ deletedAt }) => deletedAt == null).length;
    if (there > 0 && !onRecord.has(spec.name)) counts[spec.name] = there;
  }
  await db.close();
  await server.start();
  return counts;
}

/** What somebody else has, that a reset must not touch. */
async function ownThings(): Promise<void> {
  const project = await api().projects.create({ body: { name: 'Ours' } });
  await api().tasks.create({ params: { projectId: project.id }, body: { title: 'Ours' } });
  const run = await api().agentRuns.create({
    body: { goal: 'Ours', modelId: 'scripted:demo-tree@100', autoStart: true },
  });
  await api().chat.create({ body: { title: 'Ours' } });
  await ended(run.id);
}

async function ended(id: number): Promise<AgentRunDto> {
  await expect
    .poll(async () => (await api().agentRuns.get({ params: { id } })).status, patience)
    .toMatch(/Completed|Failed|BudgetExhausted/);
  return api().agentRuns.get({ params: { id } });
}

let before: Record<string, number>;

it('a seed that is killed in the middle is removed whole', async () => {
  await ownThings();
  before = await rows();
  // While identities are made, and while runs are at work.
  for (const least of [5, 70]) {
    const seeding = api()
      .demo.seed({ body: { size: 'Large' } })
      .catch(() => null);
    const made = async () => Object.values((await api().demo.status()).createdCounts).reduce((sum, n) => sum + n, 0);
    await expect.poll(made, { timeout: 20_000, interval: 5 }).toBeGreaterThan(least);
    await server.kill();
    await seeding;
    await server.start();
    await expect(api().demo.seed({ body: {} })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await api().demo.status()).seeded).toBe(false);
    const { removedCounts } = await reset();
    expect(removedCounts.identities).toBeGreaterThan(0);
  }
  expect(await rows()).toEqual(before);
});

it('each scene is a scene of its own, and all of it goes', async () => {
  const seeded = await api().demo.seed({ body: { size: 'Small', seed: 7 } });
  expect(seeded).toMatchObject({ seeded: true, size: 'Small', createdCounts: { projects: 1, runs: 3, chats: 1 } });
  const login = { login: seeded.demoUsername ?? '', password: seeded.demoPassword ?? '' };
  expect((await api().auth.login({ body: login })).accessToken).toBeTruthy();
  await expect(api().demo.seed()).rejects.toMatchObject({ code: 'CONFLICT' });
  const play = (scenario: DemoScenario) => api().demo.run({ body: { scenario, speed: 100 } });
  const events = async (runId: number) =>
    (await api().agentRuns.events({ params: { runId }, query: { limit: 500 } })).map(({ type }) => type);

  const single = await ended((await play('SingleRun')).id);
  expect(single).toMatchObject({ status: 'Completed', modelId: 'scripted:demo-single@100' });

  const tree = await ended((await play('SpawnTree')).id);
  const below = await api().agentRuns.children({ params: { id: tree.id }, query: { recursive: true } });
  expect(below.items.map(({ modelId, status }) => `${modelId} ${status}`).sort()).toEqual([
    'scripted:demo-tree-branch@100 Completed',
    ...Array(4).fill('scripted:demo-tree-leaf@100 Completed'),
  ]);

  const asking = await play('Escalation');
  const open = async () => (await api().agentRuns.get({ params: { id: asking.id } })).escalations;
  await expect.poll(async () => (await open()).length, patience).toBe(1);
  const [question] = await open();
  await api().agentEscalations.resolve({ params: { id: question?.id ?? 0 }, body: { decision: 'Replace it now' } });
  expect(await ended(asking.id)).toMatchObject({ status: 'Completed' });
  const notes = (await api().agentRuns.get({ params: { id: asking.id } })).notes;
  expect(notes.map(({ content }) => content).join()).toContain('Replace it now');

  const council = await ended((await play('Council')).id);
  const [held] = (await api().agentCouncils.list({ params: { runId: council.id }, query: {} })).items;
  expect(held).toMatchObject({ status: 'Consensus', consensusJson: expect.stringContaining('Monday') });

  expect((await ended((await play('BudgetExhaustion')).id)).status).toBe('BudgetExhausted');

  const fallback = await ended((await play('ProviderFallback')).id);
  expect(fallback.status).toBe('Completed');
  expect(await events(fallback.id)).toContain('ModelFallback');

  const woken = await ended((await play('RoutineWake')).id);
  const [routine] = (await api().agentRoutines.list({ query: {} })).items;
  const ledger = await api().agentRoutines.runs({ params: { id: routine?.id ?? 0 }, query: {} });
  expect(ledger.items.map(({ agentRunId }) => agentRunId)).toEqual([woken.id]);

  const talked = await play('Chat');
  expect(talked.status).toBe('Paused');
  const chats = (await api().chat.list({ query: {} })).items.filter(({ title }) => title !== 'Ours');
  expect(chats).toHaveLength(2);
  await api().agentRuns.resume({ params: { id: talked.id } });
  expect((await ended(talked.id)).status).toBe('Completed');

  await play('Escalation');
  const { removedCounts, seeded: still } = await reset();
  expect(still).toBe(false);
  expect(removedCounts).toMatchObject({ projects: 1, routines: 1, chats: 2, identities: 4, users: 4, providers: 3 });
  expect(await rows()).toEqual(before);
  expect((await reset()).removedCounts).toEqual({});
});
