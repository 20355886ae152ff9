// Evaluation: datasets from past work, experiments that outlive the server, scores by rule, model and person, budgets.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExperimentDto } from '../../src/client/index.ts';
import { withoutGrace } from '../support/hasty-clock.ts';
import { openStage, patience, type Stage } from '../support/stage.ts';

let stage: Stage;
const api = () => stage.server.client;
beforeAll(async () => {
  stage = await openStage({}, withoutGrace);
  const play = stage.model.otherwise;
  stage.model.otherwise = (request) => {
    const { model, messages } = request.body;
    const said = messages.map(({ content }: { content: unknown }) => String(content)).join('\n');
    if (said.includes('You grade an answer')) return verdictOn(said);
    if (!said.includes('capital of')) return play(request);
    // A good model and one that guesses; a third breaks on Norway.
    if (model === 'broken' && said.includes('Norway')) return { status: 400, body: '{"error":{"message":"no"}}' };
    const right = said.includes('Norway') ? 'Oslo' : said.includes('France') ? 'Paris' : 'Rome';
    return {
      text: [model === 'guess' ? 'Somewhere.' : `{"city":"${right}"}`],
      usage: { prompt: 1000, completion: 100 },
    };
  };
});
afterAll(async () => stage.close());

/** The judge likes Rome best. */
const verdictOn = (said: string) => ({
  text: [said.includes('Rome') ? '{"score":0.9,"reason":"It is Rome."}' : 'Here: {"score":0.4,"reason":"Not Rome."}'],
});

const items = [
  { input: 'What is the capital of Norway?', expected: 'oslo' },
  { input: 'What is the capital of France?', expected: 'Paris' },
  { input: 'What is the capital of Italy?', expected: 'Rome' },
];
const candidate = (name: string) => ({ name, modelId: `openai:${name}` });
const schema = { type: 'object', required: ['city'], properties: { city: { type: 'string' } } };
const scorers = [
  { kind: 'Contains' as const, name: 'right' },
  { kind: 'JsonSchema' as const, name: 'shape', schema },
  { kind: 'Model' as const, name: 'liked', rubric: 'The south is best.' },
  { kind: 'Person' as const, name: 'ours' },
];

async function plan(more: object = {}): Promise<ExperimentDto> {
  const dataset = await api().evaluationDatasets.create({ body: { name: `capitals ${crypto.randomUUID()}`, items } });
  const made = { name: 'capitals', datasetId: dataset.id, maxCostUsd: 1, scorers };
  return api().experiments.create({ body: { ...made, candidates: [candidate('good'), candidate('guess')], ...more } });
}
const until = async (id: number, status: ExperimentDto['status']) => {
  await expect.poll(async () => (await api().experiments.get({ params: { id } })).status, patience).toBe(status);
  return api().experiments.get({ params: { id } });
};
const casesOf = async (id: number) => (await api().experiments.cases({ params: { id }, query: { sort: 'id' } })).items;

describe('an experiment', () => {
  it('tries each candidate on each input, and says how sure its figures are', async () => {
    const { id, status, caseCount } = await plan();
    expect([status, caseCount]).toEqual(['Draft', 6]);
    await api().experiments.start({ params: { id } });
    const { results, endedCount, costUsd } = await until(id, 'Completed');
    expect(endedCount).toBe(6);
    const [good, guess] = results;
    expect([good?.done, guess?.done]).toEqual([3, 3]);
    // Wilson's interval of 3 of 3 and 0 of 3.
    expect(good?.scores[0]).toMatchObject({ scorer: 'right', count: 3, mean: 1, high: 1, method: 'Wilson' });
    expect(good?.scores[0]?.low).toBeCloseTo(0.4385, 3);
    expect(guess?.scores[0]).toMatchObject({ mean: 0, low: 0 });
    expect([good?.scores[1]?.mean, guess?.scores[1]?.mean]).toEqual([1, 0]);
    // 0.4, 0.4, 0.9: Student's interval reaches below 0 and above 1, and is cut there.
    expect(good?.scores[2]).toMatchObject({ method: 'Student', low: 0, high: 1 });
    expect(good?.scores[2]?.mean).toBeCloseTo(0.5667, 3);
    expect(good?.scores[3]).toMatchObject({ count: 0, mean: null, low: null });
    expect(costUsd).toBeCloseTo((good?.costUsd ?? 0) + (guess?.costUsd ?? 0), 9);

    const [first] = await casesOf(id);
    expect(first).toMatchObject({ candidate: 'good', status: 'Done', output: '{"city":"Oslo"}' });
    expect((await api().agentRuns.get({ params: { id: first?.runId ?? 0 } })).modelId).toBe('openai:good');
    const score = { caseId: first?.id ?? 0, scorer: 'ours', value: 1 };
    await api().experiments.score({ params: { id }, body: { scores: [score] } });
    await api().experiments.score({ params: { id }, body: { scores: [{ ...score, value: 0.5 }] } });
    const again = await api().experiments.get({ params: { id } });
    expect(again.results[0]?.scores[3]).toMatchObject({ count: 1, mean: 0.5, low: null });
    const byRule = api().experiments.score({ params: { id }, body: { scores: [{ ...score, scorer: 'right' }] } });
    await expect(byRule).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('counts what gave no answer as wrong', async () => {
    const { id } = await plan({ candidates: [candidate('broken')], scorers: scorers.slice(0, 1) });
    await api().experiments.start({ params: { id } });
    const { results } = await until(id, 'Completed');
    expect(results[0]).toMatchObject({ done: 2, failed: 1 });
    expect(results[0]?.scores[0]).toMatchObject({ count: 3, mean: expect.closeTo(2 / 3, 9) });
  });

  it('goes on where it was when the server comes back, and makes no run twice', async () => {
    const { id } = await plan({ candidates: [candidate('good')], concurrency: 1, scorers: scorers.slice(0, 1) });
    stage.model.reply({ text: ['{"city":', '"Oslo"}'], stallAfter: 1 });
    await api().experiments.start({ params: { id } });
    await expect.poll(async () => (await casesOf(id))[0]?.status, patience).toBe('Running');
    await stage.server.restart(async () => stage.model.release());
    const { results } = await until(id, 'Completed');
    expect(results[0]?.scores[0]).toMatchObject({ count: 3, mean: 1 });
    const cases = await casesOf(id);
    expect(new Set(cases.map(({ runId }) => runId)).size).toBe(3);
    const runs = await api().agentRuns.list({ query: { pageSize: 200 } });
    const first = runs.items.filter(({ id: runId }) => runId >= (cases[0]?.runId ?? 0));
    expect(first).toHaveLength(3);
  });

  it('stops within its budget, and goes on with a higher one', async () => {
    // gpt-4o has a list price: 1000 and 100 tokens are $0.0035.
    const one = { name: 'priced', modelId: 'openai:gpt-4o' };
    const { id } = await plan({ candidates: [one], concurrency: 1, maxCostUsd: 0.0001, scorers: scorers.slice(0, 1) });
    await api().experiments.start({ params: { id } });
    const spent = await until(id, 'BudgetExhausted');
    expect(spent.costUsd).toBeLessThanOrEqual(0.0001);
    expect(spent.results[0]).toMatchObject({ done: 0, failed: 0 });
    await api().experiments.start({ params: { id }, body: { maxCostUsd: 5 } });
    const { results, costUsd } = await until(id, 'Completed');
    expect(results[0]?.done).toBe(3);
    expect(costUsd).toBeCloseTo(3 * 0.0035, 4);
  });

  it('is cancelled with its runs, and begins anew when it is started again', async () => {
    const { id } = await plan({ candidates: [candidate('good')], scorers: scorers.slice(0, 1) });
    stage.model.reply(...items.map(() => ({ text: ['wait'], stallAfter: 0 })));
    await api().experiments.start({ params: { id } });
    await expect
      .poll(async () => (await casesOf(id)).filter((one) => one.status === 'Running').length, patience)
      .toBe(3);
    const removing = api().experiments.remove({ params: { id } });
    await expect(removing).rejects.toMatchObject({ code: 'CONFLICT' });
    const runs = (await casesOf(id)).map(({ runId }) => runId ?? 0);
    await api().experiments.cancel({ params: { id } });
    for (const runId of runs) await stage.until(runId, 'Cancelled');
    await expect
      .poll(async () => (await casesOf(id)).map(({ status }) => status), patience)
      .toEqual(items.map(() => 'Skipped'));
    stage.model.release();
    await api().experiments.start({ params: { id } });
    expect((await until(id, 'Completed')).results[0]?.done).toBe(3);
    await api().experiments.remove({ params: { id } });
    await expect(api().experiments.get({ params: { id } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each([
    ['no items', { datasetId: -1 }, 'VALIDATION_FAILED'],
    ['a role that is not there', { candidates: [{ name: 'x', role: 'nobody' }] }, 'NOT_FOUND'],
    ['two of one name', { candidates: [candidate('a'), candidate('a')] }, 'VALIDATION_FAILED'],
    ['no rubric', { scorers: [{ kind: 'Model', name: 'm' }] }, 'VALIDATION_FAILED'],
    [
      'a schema that is none',
      { scorers: [{ kind: 'JsonSchema', name: 's', schema: { type: 7 } }] },
      'VALIDATION_FAILED',
    ],
  ])('is refused with %s', async (what, more, code) => {
    const empty = what === 'no items' ? await api().evaluationDatasets.create({ body: { name: 'empty' } }) : null;
    await expect(plan({ ...more, ...(empty && { datasetId: empty.id }) })).rejects.toMatchObject({ code });
  });
});

it('a dataset takes goals of runs and questions of chats, once, and stays in its project', async () => {
  stage.cast({ weigh: [{ text: ['Ten grams.'] }] });
  const run = await stage.end((await stage.start('Weigh the letter.')).id);
  stage.model.reply({ text: ['Eleven.'] });
  const session = await api().chat.create({ body: { title: 'Weights' } });
  await api().chat.ask({ params: { sessionId: session.id }, body: { message: 'And this one?' } });
  const { id } = await api().evaluationDatasets.create({ body: { name: 'past' } });
  const collect = (into: number) =>
    api().evaluationDatasets.collect({
      params: { id: into },
      body: { runIds: [run.id], chatSessionIds: [session.id] },
    });
  await collect(id);
  const { items: all, itemCount } = await collect(id);
  expect(itemCount).toBe(2);
  expect(all[0]).toEqual({ input: 'Weigh the letter.', expected: 'Ten grams.', source: `run:${run.id}` });
  expect(all[1]).toMatchObject({ input: 'And this one?', expected: 'Eleven.' });
  const project = await api().projects.create({ body: { name: 'Apart' } });
  const apart = await api().evaluationDatasets.create({ body: { name: 'apart', projectId: project.id } });
  await expect(collect(apart.id)).rejects.toMatchObject({ code: 'CONFLICT' });
});
