// Runs that research knowledge goals: they take one, write memories, raise what is known with reasons, and free it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FakeReply } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';

let world: ServerWithModel;
beforeAll(async () => {
  world = await startServerWithModel();
});
afterAll(() => world.close());

const client = () => world.server.client;
const calling = (name: string, input: object): FakeReply => ({
  toolCalls: [{ id: `call_${name}`, name, arguments: [JSON.stringify(input)] }],
});
const toolResults = (from: number): string[] => {
  const last = world.model.requests.slice(from).at(-1)?.body as { messages: { role: string; content: string }[] };
  return last.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
};

/** Runs a run to its end; what its tools answered. */
async function run(goal: string, ...replies: FakeReply[]) {
  const from = world.model.requests.length;
  world.model.reply(...replies, calling('run_complete', { summary: 'Done.' }));
  const { id } = await client().agentRuns.create({ body: { goal, autoStart: true } });
  await expect.poll(async () => (await client().agentRuns.get({ params: { id } })).status).toBe('Completed');
  return { id, results: toolResults(from) };
}
const goalOf = (id: number) => client().knowledgeGoals.get({ params: { id } });

it('take the most important goal, write memories with provenance, and say why more is known', async () => {
  const goal = await client().knowledgeGoals.create({
    body: { topic: 'Tides', description: 'When is high water?', priority: 90, searchQueries: ['tide table'] },
  });
  await client().knowledgeGoals.create({ body: { topic: 'Ships', priority: 10 } });
  const [admin] = (await client().identities.list()).items;
  const foreign = await client().memories.create({
    params: { identityId: admin?.id ?? 0 },
    body: { title: 'Elsewhere', content: 'Written by nobody here.' },
  });
  const first = await run(
    'Research.',
    calling('goal_next', {}),
    calling('memory_create', { title: 'High water', content: 'High water is at six.' }),
    calling('goal_update', { goalId: goal.id, knowledgeLevel: 0.4, reason: 'I just know.', memoryIds: [foreign.id] }),
  );
  expect(first.results[0]).toContain(
    `<recalled-goal id="${goal.id}" known="0 %">\nTides\nWhen is high water?\nSearch for: tide table`,
  );
  expect(first.results[2]).toContain('not written by this run');
  const { memoryId } = JSON.parse(first.results[1] ?? '{}');
  expect(await client().memories.get({ params: { id: memoryId } })).toMatchObject({ provenance: 'Inferred' });
  await expect.poll(async () => (await goalOf(goal.id)).status).toBe('Active');
  expect(await goalOf(goal.id)).toMatchObject({ researchRunCount: 1, knowledgeLevel: 0 });
});

it('raise the level once a call, keep the reasons, and learn what is known well enough', async () => {
  const { id } = await client().knowledgeGoals.create({ body: { topic: 'Moons', priority: 100 } });
  // The number of the memory is known when it was written: the model waits for it.
  const from = world.model.requests.length;
  world.model.reply(
    calling('goal_next', {}),
    calling('memory_create', { title: 'Moon', content: 'There is one moon.' }),
    { ...calling('run_note', { content: 'waits' }), stallAfter: 0 },
  );
  const run = await client().agentRuns.create({ body: { goal: 'Research the moon.', autoStart: true } });
  await expect.poll(() => world.model.requests.length).toBe(from + 3);
  expect(await goalOf(id)).toMatchObject({ status: 'Researching' });
  const memory = (await client().memories.list({ params: { identityId: run.identityId }, query: { q: 'one moon' } }))
    .items[0];
  const step = { goalId: id, knowledgeLevel: 0.95, reason: 'It was counted.', memoryIds: [memory?.id ?? 0] };
  world.model.reply(calling('goal_update', step), calling('run_complete', { summary: 'Done.' }));
  world.model.release();
  await expect.poll(async () => (await goalOf(id)).status, { timeout: 20_000 }).toBe('Learned');
  expect(await goalOf(id)).toMatchObject({ knowledgeLevel: 0.95, researchRunCount: 1 });
  expect(await client().knowledgeGoals.steps({ params: { id } })).toMatchObject([
    { runId: run.id, from: 0, to: 0.95, reason: 'It was counted.', memoryIds: [memory?.id] },
  ]);
});
