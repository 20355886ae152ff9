// Runs at rest: what the server keeps of them, and that it shows what it would without.
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { withoutGrace } from '../support/hasty-clock.ts';
import { registerStranger } from '../support/strangers.ts';
import { request, startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({}, null, withoutGrace);
});
afterAll(() => server.close());

const detail = async (id: number) => (await server.call('GET', `/api/agent/runs/${id}`)).body.data;
const archived = () => {
  const file = new Database(join(server.config.dataDir, 'rivulet.db'), { readonly: true });
  try {
    return (file.prepare('SELECT id FROM c_run_details ORDER BY id').all() as { id: number }[]).map(({ id }) => id);
  } finally {
    file.close();
  }
};
const ended = async (goal: string): Promise<number> => {
  const body = { goal, modelId: 'scripted:hello', autoStart: true };
  const { id } = (await server.call('POST', '/api/agent/runs', body)).body.data;
  await expect.poll(async () => (await detail(id)).status).toBe('Completed');
  await expect.poll(archived).toContain(id);
  return id;
};

it('a run is put away when it has ended, shows all that it showed, and all that comes later', async () => {
  const id = await ended('Say hello');
  const shown = await detail(id);
  expect(shown).toMatchObject({ id, goal: 'Say hello', status: 'Completed', childRuns: [], notes: [], feedback: [] });
  expect(shown.recentEvents).toHaveLength(shown.eventCount);
  await server.restart();
  expect(await detail(id)).toEqual(shown);

  const note = { type: 'Finding', content: 'It was said.' };
  expect((await server.call('POST', `/api/agent/runs/${id}/notes`, note)).status).toBeLessThan(300);
  expect(archived()).not.toContain(id);
  expect((await detail(id)).notes).toMatchObject([note]);
  await expect.poll(archived).toContain(id);
  const rated = { rating: 'Good', notes: 'Well said.' };
  expect((await server.call('POST', `/api/agent/runs/${id}/feedback`, rated)).status).toBeLessThan(300);
  expect(await detail(id)).toMatchObject({ notes: [note], feedback: [rated] });
});

it('a run that was put away and is started again is at work, and put away anew', async () => {
  const id = await ended('Say hello again');
  const { eventCount } = await detail(id);
  expect((await server.call('POST', `/api/agent/runs/${id}/restart`, {})).status).toBeLessThan(300);
  await expect.poll(async () => (await detail(id)).eventCount).toBeGreaterThan(eventCount);
  await expect.poll(async () => (await detail(id)).status).toBe('Completed');
  await expect.poll(archived).toContain(id);
  expect((await detail(id)).eventCount).toBeGreaterThan(eventCount);
});

it('a run that was put away is not there for others, and gone when it is deleted', async () => {
  const id = await ended('Say hello to me');
  const authorization = `Bearer ${await registerStranger(server, 'elsewhere')}`;
  const asked = request(server.url, 'GET', `/api/agent/runs/${id}`, undefined, { authorization });
  await failure(asked, 404, 'NOT_FOUND');
  expect((await server.call('DELETE', `/api/agent/runs/${id}`)).status).toBeLessThan(300);
  expect(archived()).not.toContain(id);
  await failure(server.call('GET', `/api/agent/runs/${id}`), 404, 'NOT_FOUND');
});
