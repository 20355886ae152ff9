// Budgets, pools and deadlines on the whole server, counted by the model server as well.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openStage, patience, type Stage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  let step = 0;
  stage.cast({
    endless: () => ({ calls: [['run_note', { content: `step ${step++}` }]] }),
    silent: [{ text: ['never ', 'said'], stallAfter: 1 }],
  });
});
afterAll(() => stage.close());

const api = () => stage.server.client.agentRuns;
const steps = (count: number) => [
  ...Array.from({ length: count }, (_, at) => ({
    calls: [['run_note', { content: `note ${at}` }]] as [string, object][],
  })),
  { text: ['finished'] },
];

it('a spent pool stops a run until it is topped up', async () => {
  stage.cast({ long: steps(5) });
  const run = await stage.start('Long way', { poolIterationBudget: 4 });
  await stage.until(run.id, 'BudgetExhausted');
  expect(stage.scenes('long')).toHaveLength(4);
  const params = { id: run.id };
  await expect(api().pool({ params, body: { poolIterationBudget: 2 } })).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
  });
  expect(await api().pool({ params, body: { addTokens: 1000 } })).toMatchObject({ status: 'BudgetExhausted' });
  const resumed = await api().pool({ params, body: { addIterations: 10, resume: true } });
  expect(resumed).toMatchObject({ poolIterationBudget: 14 });
  expect(await stage.end(run.id)).toMatchObject({ progressSummary: 'finished', poolIterationsUsed: 6 });
  const log = await stage.log(run.id);
  expect(log).toEqual(expect.arrayContaining(['BudgetWarning', 'BudgetExhausted', 'PoolChanged']));
});

it('a spent pool stops the whole tree, and a top-up brings all of it back', async () => {
  stage.cast({
    walker: steps(3),
    family: [{ calls: [['run_spawn', { goal: 'Walker', wait: true }]] }, { text: ['home'] }],
  });
  const run = await stage.start('Family walk', { poolIterationBudget: 3 });
  await stage.until(run.id, 'BudgetExhausted');
  const [child] = (await api().children({ params: { id: run.id }, query: {} })).items;
  expect(child?.status).toBe('BudgetExhausted');
  await api().pool({ params: { id: run.id }, body: { addIterations: 10, resume: true } });
  expect(await stage.end(run.id)).toMatchObject({
    status: 'Completed',
    progressSummary: 'home',
    poolIterationsUsed: 6,
  });
});

it('a run that spent its own budget goes on when it has more', async () => {
  stage.cast({ short: steps(3) });
  const run = await stage.start('Short of breath', { maxIterations: 2 });
  await stage.until(run.id, 'BudgetExhausted');
  const params = { id: run.id };
  await expect(api().resume({ params })).rejects.toMatchObject({ status: 409 });
  await api().patch({ params, body: { maxIterations: 10 } });
  await api().resume({ params });
  expect(await stage.end(run.id)).toMatchObject({ status: 'Completed', iterationsUsed: 4 });
});

it('the deadline ends the tree, wall clock a run', async () => {
  stage.cast({ waiting: [{ calls: [['run_spawn', { goal: 'Silent child', wait: true }]] }] });
  const treeDeadlineUtc = new Date(Date.now() + 3000).toISOString();
  const [tree, alone] = await Promise.all([
    stage.start('Waiting for long', { treeDeadlineUtc }),
    stage.start('Silent alone', { maxWallClockMs: 1500 }),
  ]);
  expect((await stage.end(alone.id)).status).toBe('TimedOut');
  expect((await stage.end(tree.id)).status).toBe('TimedOut');
  const [child] = (await api().children({ params: { id: tree.id }, query: {} })).items;
  expect((await stage.end(child?.id ?? 0)).status).toBe('TimedOut');
});

it('children at once never overspend the pool, as the model server counts', async () => {
  const usage = { prompt: 900, completion: 100 };
  let step = 0;
  let spent = 0;
  let calls = 0;
  stage.cast({
    crowd: [
      {
        calls: Array.from({ length: 8 }, (_, at) => ['run_spawn', { goal: `Spender ${at}` }] as [string, object]),
        usage,
      },
      { calls: [['run_join', {}]], usage },
      { text: ['never said'] },
    ],
    spender: () => ({ calls: [['run_note', { content: `${step++}` }]], usage, frameDelayMs: 10 }),
  });
  const before = stage.model.otherwise;
  stage.model.otherwise = (request) => {
    calls++;
    spent += usage.prompt + usage.completion;
    return before(request);
  };
  const run = await stage.start('Crowd of spenders', { poolTokenBudget: 30_000, maxTokens: 30_000 });
  await stage.until(run.id, 'BudgetExhausted');
  const members = [run, ...(await api().children({ params: { id: run.id }, query: {} })).items];
  await vi.waitFor(async () => {
    const now = await Promise.all(members.map(({ id }) => api().get({ params: { id } })));
    expect(now.filter((one) => one.status !== 'BudgetExhausted')).toEqual([]);
    expect(now.reduce((sum, one) => sum + one.tokensUsed, 0)).toBe(spent);
    expect(now[0]).toMatchObject({ poolTokensUsed: spent, poolIterationsUsed: calls, totalTokensWithChildren: spent });
  }, patience);
  stage.model.otherwise = before;
  expect(spent).toBeLessThanOrEqual(30_000);
  expect(calls).toBeGreaterThan(10);
  await api().cancel({ params: { id: run.id } });
  expect((await stage.end(run.id)).status).toBe('Cancelled');
});
