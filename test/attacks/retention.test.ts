// What is deleted takes along what hangs on it, and what is too old goes; long-life.integration has many runs and many days.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noteSpec } from '../../src/groups/agent/notes/notes.ts';
import { taskSpec } from '../../src/groups/agent/tasks/tasks.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { activityRecord } from '../../src/projects/activity.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    RIVULET_CHATS_KEPT_DAYS: '0.0000001',
    RIVULET_ACTIVITY_KEPT_DAYS: '30',
  });
});
afterAll(() => server.close());

const data = async (path: string) => (await server.call('GET', path)).body.data;
const post = async (path: string, body?: object) => (await server.call('POST', path, body)).body.data;
const open = () => openEmbeddedDb({ folder: server.config.dataDir, clock: systemClock, logger: silentLogger });

it('chats go after their time, and pinned ones stay', async () => {
  const chat = await post('/api/chat/sessions', { title: 'Passing' });
  const pinned = await post('/api/chat/sessions', { title: 'Pinned', isPinned: true });
  await server.restart();
  const status = async (id: number) => (await server.call('GET', `/api/chat/sessions/${id}`)).status;
  await expect.poll(() => status(chat.id)).toBe(404);
  expect(await status(pinned.id)).toBe(200);
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
