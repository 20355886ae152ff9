// Knowledge goals from end to end: stated, moved through their life, picked, and told to the runs that they concern.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { openStage, type Stage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const call = (method: string, path: string, body?: unknown) =>
  stage.server.call(method, `/api/knowledge/goals${path}`, body);
const data = async (answer: ReturnType<typeof call>) => {
  const { body } = await answer;
  expect(body.error ?? null).toBeNull();
  return body.data;
};

it('are stated, filtered and picked by priority and by how little is known', async () => {
  await failure(call('GET', '/next'), 404, 'NOT_FOUND', /no active knowledge goal/);
  const first = await data(call('POST', '', { topic: 'Tides', priority: 80, tags: ['sea'], domain: 'Science' }));
  expect(first).toMatchObject({ status: 'Active', knowledgeLevel: 0, description: '', projectId: null, guid: /-/ });
  const second = await data(call('POST', '', { topic: 'Currents', priority: 80, projectId: 7 }));
  await data(call('POST', '', { topic: 'Ships', description: 'Hulls and sails', priority: 10 }));
  await data(call('PATCH', `/${first.id}`, { knowledgeLevel: 0.5 }));
  const topics = async (query: string) =>
    (await data(call('GET', query))).items.map((goal: { topic: string }) => goal.topic);
  expect(await topics('?sort=priority')).toEqual(['Ships', 'Tides', 'Currents']);
  expect(await topics('?tag=sea')).toEqual(['Tides']);
  expect(await topics('?minPriority=50&sort=topic')).toEqual(['Currents', 'Tides']);
  expect(await topics('?q=SAILS')).toEqual(['Ships']);
  expect(await topics('?projectId=7&status=Active')).toEqual(['Currents']);
  expect((await data(call('GET', '/next'))).id).toBe(second.id);
  expect((await data(call('GET', '/next?domain=Science'))).id).toBe(first.id);
  await failure(call('GET', '/next?minPriority=90'), 404, 'NOT_FOUND');
});

it('move as their life allows, and count what was researched', async () => {
  const { id } = await data(call('POST', '', { topic: 'Stars' }));
  const patch = (body: object) => call('PATCH', `/${id}`, body);
  expect(await data(patch({ status: 'Researching' }))).toMatchObject({ status: 'Researching', researchRunCount: 0 });
  await failure(patch({ status: 'Learned' }), 409, 'INVALID_TRANSITION', /It can become Paused/);
  const counted = await data(patch({ recordResearchRun: true, knowledgeLevel: 0.4 }));
  expect(counted).toMatchObject({ status: 'Active', researchRunCount: 1, knowledgeLevel: 0.4 });
  expect(Date.parse(counted.lastResearchedAtUtc)).toBeGreaterThan(0);
  for (const [from, to] of [
    ['Active', 'Paused'],
    ['Paused', 'Abandoned'],
    ['Abandoned', 'Active'],
    ['Active', 'Learned'],
    ['Learned', 'Active'],
  ]) {
    expect((await data(call('GET', `/${id}`))).status).toBe(from);
    await data(patch({ status: to }));
  }
  await data(patch({ status: 'Learned' }));
  await failure(patch({ status: 'Paused' }), 409, 'INVALID_TRANSITION');
  await failure(call('POST', '', { topic: 'x', status: 'Learned' }), 409, 'INVALID_TRANSITION');
  await Promise.all(Array.from({ length: 6 }, () => data(patch({ recordResearchRun: true }))));
  expect((await data(call('GET', `/${id}`))).researchRunCount).toBe(7);
  await data(call('DELETE', `/${id}`));
  await failure(call('GET', `/${id}`), 404, 'NOT_FOUND');
});

it('are told to the runs of their project, or to all where they have none, while they are open', async () => {
  for (const { id } of (await data(call('GET', ''))).items) await data(call('DELETE', `/${id}`));
  await data(call('POST', '', { topic: 'Winds', description: 'Where they come from', projectId: 7 }));
  await data(call('POST', '', { topic: 'Clouds' }));
  const paused = await data(call('POST', '', { topic: 'Frost' }));
  await data(call('PATCH', `/${paused.id}`, { status: 'Paused' }));
  stage.cast({ sail: [{ text: ['Done.'] }], rest: [{ text: ['Done.'] }] });
  const heardBy = async (goal: string, more: object) => {
    const from = stage.model.requests.length;
    await stage.end((await stage.start(goal, more)).id);
    return JSON.stringify(stage.model.requests.slice(from));
  };
  const inProject = await heardBy('Sail there', { projectId: 7 });
  expect(inProject).toContain('Winds (0 % known): Where they come from');
  expect(inProject).toContain('Clouds');
  expect(inProject).not.toContain('Frost');
  const elsewhere = await heardBy('Rest here', {});
  expect(elsewhere).toContain('Clouds');
  expect(elsewhere).not.toContain('Winds');
});
