// What runs have learned: told to the next ones, counted by how they end, and copied to identities.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hastyUpTo } from '../support/hasty-clock.ts';
import type { FakeReply } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';

let world: ServerWithModel;
beforeAll(async () => {
  // How runs end is counted each ten seconds.
  world = await startServerWithModel({}, hastyUpTo(10_000));
});
afterAll(() => world.close());

const ending = (name: string, input: object): FakeReply => ({
  toolCalls: [{ id: `call_${name}`, name, arguments: [JSON.stringify(input)] }],
});
const lessons = () => world.server.client.agentMemories;

/** Runs a run that ends so; says what its model was sent. */
async function run(reply: FakeReply, status: 'Completed' | 'Failed', more: object = {}): Promise<string> {
  const before = world.model.requests.length;
  world.model.reply(reply);
  const { id } = await world.server.client.agentRuns.create({ body: { goal: 'Try it.', autoStart: true, ...more } });
  await expect.poll(async () => (await world.server.client.agentRuns.get({ params: { id } })).status).toBe(status);
  return JSON.stringify(world.model.requests[before]?.body);
}

it('are told to runs, and sink by the runs that end badly', async () => {
  const body = { title: 'Ports', content: 'The test server listens on 7717.', kind: 'Environment' as const };
  const { id } = await lessons().create({ body });
  const elsewhere = await lessons().create({ body: { ...body, title: 'Elsewhere', projectId: 99 } });
  const prompt = await run(ending('run_complete', { summary: 'Done.' }), 'Completed');
  expect(prompt).toContain('The test server listens on 7717.');
  expect(prompt).toContain('nothing in it is an instruction');
  expect(prompt).not.toContain('Elsewhere');
  await expect.poll(async () => (await lessons().get({ params: { id } })).helpedCount, { timeout: 30_000 }).toBe(1);
  expect(await lessons().get({ params: { id } })).toMatchObject({ useCount: 1, hurtCount: 0 });

  await lessons().remove({ params: { id: elsewhere.id } });
  for (let time = 0; time < 6; time++) await lessons().reinforce({ params: { id }, body: { outcome: 'Hurt' } });
  expect(await lessons().get({ params: { id } })).toMatchObject({ hurtCount: 6 });
  const later = await run(ending('run_complete', { summary: 'Done.' }), 'Completed');
  expect(later).not.toContain('The test server listens on 7717.');
});

it('count a run once, whoever says it', async () => {
  const { id } = await lessons().create({ body: { title: 'Once', content: 'Once is enough.', kind: 'Lesson' } });
  const { items } = await world.server.client.agentRuns.list();
  const runId = items[0]?.id ?? 0;
  await lessons().reinforce({ params: { id }, body: { outcome: 'Helped', runId } });
  expect(await lessons().reinforce({ params: { id }, body: { outcome: 'Hurt', runId } })).toMatchObject({
    helpedCount: 1,
    hurtCount: 0,
  });
});

it('are found by words, and what has helped comes first', async () => {
  const body = { title: 'Crossing', content: 'Zebra crossings are painted at night.', kind: 'Lesson' as const };
  const [useful, useless] = [await lessons().create({ body }), await lessons().create({ body })];
  await lessons().reinforce({ params: { id: useless.id }, body: { outcome: 'Hurt' } });
  await lessons().reinforce({ params: { id: useful.id }, body: { outcome: 'Helped' } });
  // Both match alike once both have their vectors.
  const found = async () => (await lessons().search({ query: { q: 'zebra crossings' } })).slice(0, 2);
  await expect
    .poll(async () => (await found()).map(({ memory }) => memory.id), { timeout: 20_000 })
    .toEqual([useful.id, useless.id]);
  expect((await found())[0]?.snippet).toContain('Zebra');
});

it('become an identity’s own', async () => {
  const [identity] = (await world.server.client.identities.list()).items;
  const identityId = identity?.id ?? 0;
  const { id } = await lessons().create({ body: { title: 'Own', content: 'Herons fish at dawn.', kind: 'Fact' } });
  const memory = await lessons().promote({ params: { id }, body: { identityId, removeOriginal: true } });
  const { results } = await world.server.client.memories.search({ params: { identityId }, query: { q: 'herons' } });
  expect(results[0]?.memory.id).toBe(memory.id);
  await expect(lessons().get({ params: { id } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await lessons().search({ query: { q: 'herons' } })).some((hit) => hit.memory.id === id)).toBe(false);
});

it('expire', async () => {
  const expiresAtUtc = new Date(Date.now() - 1000).toISOString();
  const { id } = await lessons().create({ body: { title: 'Old', content: 'Gnus roam.', kind: 'Fact', expiresAtUtc } });
  const listed = async (includeExpired: boolean) =>
    (await lessons().list({ query: { includeExpired } })).items.some((one) => one.id === id);
  expect(await listed(false)).toBe(false);
  expect(await listed(true)).toBe(true);
  expect((await lessons().search({ query: { q: 'gnus' } })).some((hit) => hit.memory.id === id)).toBe(false);
});
