// Old runs are deleted with all that hangs on them, the file gives their space back, and what is left still answers.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noteSpec } from '../../src/groups/agent/notes/notes.ts';
import { taskSpec } from '../../src/groups/agent/tasks/tasks.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { activityRecord } from '../../src/projects/activity.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { events } from '../../src/stores/runs/collections.ts';
import { addOldRuns, countOf } from '../support/old-runs.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const old = 2000;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    RIVULET_RUNS_KEPT_DAYS: '30',
    RIVULET_CHATS_KEPT_DAYS: '0.0000001',
    RIVULET_ACTIVITY_KEPT_DAYS: '30',
  });
});
afterAll(() => server.close());

const data = async (path: string) => (await server.call('GET', path)).body.data;
const post = async (path: string, body?: object) => (await server.call('POST', path, body)).body.data;
const fileBytes = async () => (await stat(join(server.config.dataDir, 'rivulet.db'))).size;
const open = () => openEmbeddedDb({ folder: server.config.dataDir, clock: systemClock, logger: silentLogger });

it('thousands of runs go, and the file with them', async () => {
  const { id } = await post('/api/agent/runs', { goal: 'x'.repeat(2000) });
  for (let n = 0; n < 5; n++) await post(`/api/agent/runs/${id}/notes`, { content: 'x'.repeat(500) });
  await post(`/api/agent/runs/${id}/cancel`);
  const kept = await post('/api/agent/runs', { goal: 'Old, but it never began.' });
  const chat = await post('/api/chat/sessions', { title: 'Passing' });
  const pinned = await post('/api/chat/sessions', { title: 'Pinned', isPinned: true });

  const begun = await fileBytes();
  let before: Record<string, number> = {};
  await server.restart(async () => {
    const db = open();
    before = await countOf(db);
    await addOldRuns(db, id, { count: old, days: 31 });
    expect((await countOf(db)).agent_runs).toBe(before.agent_runs! + old);
    await db.close();
    expect(await fileBytes()).toBeGreaterThan(20e6);
  });
  await expect
    .poll(async () => (await data('/api/agent/runs')).totalCount, { timeout: 110_000 })
    .toBe(before.agent_runs);
  // Free pages for the writes to come stay: 8 MB.
  await expect.poll(fileBytes).toBeLessThan(begun + 10e6);

  expect((await data(`/api/agent/runs/${id}`)).notes).toHaveLength(5);
  expect((await data(`/api/agent/runs/${kept.id}`)).status).toBe('Pending');
  expect((await server.call('GET', `/api/chat/sessions/${chat.id}`)).status).toBe(404);
  expect((await data(`/api/chat/sessions/${pinned.id}`)).title).toBe('Pinned');
  await post(`/api/agent/runs/${kept.id}/start`);
  await expect.poll(async () => (await data(`/api/agent/runs/${kept.id}`)).iterationsUsed).toBeGreaterThan(0);
  await post(`/api/agent/runs/${kept.id}/cancel`);
  await server.restart(async () => {
    const db = open();
    const after = await countOf(db);
    expect(after.agent_notes).toBe(5);
    expect(after.agent_runs).toBe(before.agent_runs);
    expect(after.agent_trees).toBe(before.agent_trees);
    expect(after.agent_tree_members).toBe(before.agent_tree_members);
    expect(await db.collection(events).countDocuments({ runId: { $gte: 1_000_000 } })).toBe(0);
    await db.close();
  });
});

it('a run that somebody deletes takes its notes and tasks along', async () => {
  const { id } = await post('/api/agent/runs', { goal: 'Here for a moment.' });
  await post(`/api/agent/runs/${id}/notes`, { content: 'A finding.' });
  await post(`/api/agent/runs/${id}/tasks`, { title: 'To be done.' });
  const other = await post('/api/agent/runs', { goal: 'It stays.' });
  await post(`/api/agent/runs/${other.id}/notes`, { content: 'Another finding.' });
  const countParts = async () => {
    let found: number[] = [];
    await server.restart(async () => {
      const db = open();
      const of = (name: string, runId: number) => db.collection(name).countDocuments({ runId } as never);
      found = [await of(noteSpec.name, id), await of(taskSpec.name, id), await of(noteSpec.name, other.id)];
      await db.close();
    });
    return found;
  };
  expect(await countParts()).toEqual([1, 1, 1]);
  expect((await server.call('DELETE', `/api/agent/runs/${id}`)).status).toBe(200);
  expect(await countParts()).toEqual([0, 0, 1]);
});

it('what happened in a project goes after its time, and what happened since stays', async () => {
  const { id } = await post('/api/projects', { name: 'Of long standing' });
  const [made] = (await data(`/api/projects/${id}/activity`)).items;
  expect(made).toMatchObject({ action: 'created' });
  await server.restart(async () => {
    const db = open();
    const all = db.collection(activityRecord.spec);
    const one = await all.findOne({ _id: made.id });
    const days = (n: number) => new Date(Date.now() - n * 86_400_000);
    // Older ones have lower numbers.
    await all.insertOne({ ...(one as NonNullable<typeof one>), _id: -2, title: 'Long ago', createdAt: days(31) });
    await all.insertOne({ ...(one as NonNullable<typeof one>), _id: -1, title: 'Lately', createdAt: days(29) });
    await db.close();
  });
  const titles = async () =>
    (await data(`/api/projects/${id}/activity`)).items.map(({ title }: { title: string }) => title);
  await expect.poll(titles, { timeout: 110_000 }).not.toContain('Long ago');
  expect(await titles()).toEqual(['Of long standing', 'Lately']);
});
