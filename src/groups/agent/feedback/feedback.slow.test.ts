import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineCollection } from '../../../ports/db.ts';
import { type AgentWorld, codeOf, createAgentWorld, noQuery, paging, request } from '../testing/world.ts';
import { createFeedback, feedbackSpec, type RatedRun, scoreOf } from './feedback.ts';
import { agentFeedbackService } from './service.ts';

const runSpec = defineCollection<RatedRun>({ name: 'runs' });

let world: AgentWorld;
let api: ReturnType<typeof agentFeedbackService>['handlers'];
beforeEach(async () => {
  world = await createAgentWorld([feedbackSpec, runSpec]);
  api = agentFeedbackService({
    feedback: createFeedback({ ...world, runs: runSpec }),
    findRun: world.findRun,
    log: world.log,
  }).handlers;
  world.addRun({ id: 5, status: 'Completed' });
});
afterEach(() => world.close());

describe('feedback', () => {
  it('is kept with who gave it, newest first, and announced', async () => {
    const create = (rating: 'Poor' | 'Excellent', notes: string | null = null) =>
      api.create({ ...noQuery, params: { runId: 5 }, caller: world.caller, body: { rating, notes } });
    const first = await create('Poor', 'Too slow');
    expect(first).toMatchObject({ runId: 5, rating: 'Poor', notes: 'Too slow', ratedBy: 'Administrator' });
    await world.clock.advance(1000);
    const second = await create('Excellent', '');
    expect(second.notes).toBeNull();
    const query = { ...paging };
    const { items } = await api.list({ params: { runId: 5 }, caller: world.caller, body: undefined, query, request });
    expect(items).toEqual([second, first]);
    expect(world.published.at(-1)).toMatchObject({ type: 'run.feedback', topics: ['run:5'], data: second });
    expect(world.logged).toMatchObject([
      { runId: 5, type: 'FeedbackAdded', title: 'Poor', message: 'Too slow', payload: { feedbackId: first.id } },
      { runId: 5, type: 'FeedbackAdded', title: 'Excellent', message: null },
    ]);
  });

  it('is in the sums of its run, once, also when its writer dies before it is', async () => {
    const runs = world.db.collection(runSpec);
    await runs.insertOne({ _id: 5, tenantId: world.tenantId });
    const rate = (rating: 'Poor' | 'Good') =>
      api.create({ ...noQuery, params: { runId: 5 }, caller: world.caller, body: { rating } });
    await rate('Poor');
    expect(await runs.findOne({ _id: 5 })).toMatchObject({ ratings: 1, ratingSum: 2 });
    const feedback = world.db.collection(feedbackSpec);
    const [first] = await feedback.find({}).toArray();
    await feedback.insertOne({ ...first!, _id: 99, rating: 'Good', intent: world.repairs.intent('rate-run', null) });
    await world.clock.advance(60_000);
    expect(await world.repairs.run()).toBe(1);
    expect(await runs.findOne({ _id: 5 })).toMatchObject({ ratings: 2, ratingSum: 6 });
    expect(await world.repairs.run()).toBe(0);
  });

  it('needs a run', async () => {
    const create = () =>
      api.create({ ...noQuery, params: { runId: 6 }, caller: world.caller, body: { rating: 'Good' as const } });
    expect(await codeOf(create)).toBe('NOT_FOUND');
  });

  it('scores from 1 to 5', () => {
    expect(['VeryPoor', 'Fair', 'Excellent'].map((rating) => scoreOf(rating as 'Fair'))).toEqual([1, 3, 5]);
  });
});
