import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentWorld, codeOf, createAgentWorld, noQuery, paging, request } from '../testing/world.ts';
import { agentTasksService } from './service.ts';
import { createTasks, taskSpec } from './tasks.ts';

let world: AgentWorld;
let tasks: ReturnType<typeof createTasks>;
let api: ReturnType<typeof agentTasksService>['handlers'];
beforeEach(async () => {
  world = await createAgentWorld([taskSpec]);
  tasks = createTasks(world);
  api = agentTasksService({ tasks, findRun: world.findRun, log: world.log }).handlers;
  world.addRun({ id: 5, projectId: 3 });
});
afterEach(() => world.close());

const create = (body: { title: string; [field: string]: unknown }, runId = 5) =>
  api.create({ ...noQuery, params: { runId }, caller: world.caller, body });
const patch = (id: number, body: object) => api.patch({ ...noQuery, params: { id }, caller: world.caller, body });
const list = (query: object = {}) =>
  api.list({ params: { runId: 5 }, caller: world.caller, body: undefined, query: { ...paging, ...query }, request });

describe('tasks of a run', () => {
  it('are Todo, last in order, and announced', async () => {
    const first = await create({ title: 'Look' });
    const second = await create({ title: 'Leap', status: 'Backlog', description: 'far', projectTaskId: 9 });
    expect(first).toMatchObject({ agentRunId: 5, projectId: 3, status: 'Todo', sortOrder: 10, projectTaskId: null });
    expect(second).toMatchObject({ status: 'Backlog', sortOrder: 20, projectTaskId: 9, projectTaskTitle: null });
    const between = await create({ title: 'Breathe', sortOrder: 15 });
    expect((await list()).items.map((task) => task.title)).toEqual(['Look', 'Breathe', 'Leap']);
    expect((await list({ status: 'Backlog' })).items).toEqual([second]);
    expect(world.published.at(-1)).toMatchObject({ type: 'run.task', topics: ['run:5'], data: between });
  });

  it('stay last in order behind the largest number there is', async () => {
    const largest = await create({ title: 'Last', sortOrder: 2 ** 31 - 1 });
    const behind = await create({ title: 'After all' });
    expect(behind.sortOrder).toBe(largest.sortOrder);
    expect((await list()).items.map(({ id }) => id)).toEqual([largest.id, behind.id]);
  });

  it('move as the table says', async () => {
    const { id } = await create({ title: 'Look' });
    expect(await codeOf(() => patch(id, { status: 'Done' }))).toBe('INVALID_TRANSITION');
    for (const status of ['InProgress', 'InReview', 'Done', 'InProgress', 'Cancelled', 'Todo'])
      expect((await patch(id, { status })).status).toBe(status);
    expect(await patch(id, { status: 'Todo', title: 'Look again', description: null })).toMatchObject({
      title: 'Look again',
      status: 'Todo',
    });
    expect(world.logged.map(({ type }) => type)).toEqual(['TaskCreated', ...Array(7).fill('TaskUpdated')]);
    expect(world.logged[1]).toMatchObject({ runId: 5, payload: { taskId: id, status: 'InProgress' } });
  });

  it('let only one of two contradicting changes through', async () => {
    const { id } = await create({ title: 'Look', status: 'InProgress' });
    const codes = await Promise.all([
      codeOf(() => patch(id, { status: 'Done' })),
      codeOf(() => patch(id, { status: 'Blocked' })),
    ]);
    expect(codes.sort()).toEqual(['INVALID_TRANSITION', 'no fault']);
  });

  it('are found in the own tenant only', async () => {
    const { id } = await create({ title: 'Look' });
    const stranger = { ...world.caller, tenantId: 999 };
    const work = () => api.patch({ ...noQuery, params: { id }, caller: stranger, body: { title: 'Mine' } });
    expect(await codeOf(work)).toBe('NOT_FOUND');
    expect(await codeOf(() => create({ title: 'x' }, 6))).toBe('NOT_FOUND');
  });
});
