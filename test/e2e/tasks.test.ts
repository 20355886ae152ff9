// Tasks from end to end: their order, their states, claims, dependencies, comments and runs.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { hastyClock } from '../support/hasty-clock.ts';
import { startWithPeople } from '../support/people.ts';
import { createShiftedClock } from '../support/shifted-clock.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
type Task = any;

/** Ten people with the owner. */
const movers = Array.from({ length: 9 }, (_, n) => `mover${n}`);
const shifted = createShiftedClock();
let stand: Awaited<ReturnType<typeof startWithPeople>>;
let project: number;
const as = (who: string, method: string, path: string, body?: unknown) => stand.as(who, method, `/api${path}`, body);
const data = async (answer: ReturnType<typeof as>) => {
  const { body } = await answer;
  expect(body.error ?? null).toBeNull();
  return body.data;
};
const newProject = async (): Promise<number> => (await data(as('owner', 'POST', '/projects', { name: 'Tasks' }))).id;
const make = (title: string, more: object = {}, where = project): Promise<Task> =>
  data(as('owner', 'POST', `/projects/${where}/tasks`, { title, ...more }));
const move = (id: number, status: string, more: object = {}) =>
  as('owner', 'POST', `/tasks/${id}/status`, { status, ...more });
const titles = async (where: number): Promise<string[]> =>
  (await data(as('owner', 'GET', `/projects/${where}/tasks?pageSize=200`))).items.map(({ title }: Task) => title);

beforeAll(async () => {
  const others = Object.fromEntries(movers.map((name): [string, 'Operator'] => [name, 'Operator']));
  stand = await startWithPeople([], { bob: 'Operator', ...others }, { clock: { ...hastyClock, now: shifted.now } });
  project = await newProject();
});
afterAll(() => stand.close());

it('are made, changed and moved as their table says', async () => {
  const task = await make('Look', {
    priority: 70,
    estimateMinutes: 30,
    tags: ['a', 'a'],
    dueAtUtc: '2020-01-01T00:00:00Z',
  });
  expect(task).toMatchObject({ status: 'Backlog', sortOrder: 0, tags: ['a'], projectName: 'Tasks', priority: 70 });
  await failure(
    as('owner', 'POST', `/projects/${project}/tasks`, { title: 'x', status: 'Done' }),
    409,
    'INVALID_TRANSITION',
  );
  await failure(move(task.id, 'Done'), 409, 'INVALID_TRANSITION', /Todo/);
  for (const status of ['Todo', 'InProgress', 'InReview', 'Done'])
    expect(await data(move(task.id, status))).toMatchObject({ status });
  const done = await data(as('owner', 'GET', `/tasks/${task.id}`));
  expect(done).toMatchObject({ startedAtUtc: expect.any(String), completedAtUtc: expect.any(String) });
  const patched = await data(as('owner', 'PATCH', `/tasks/${task.id}`, { title: 'Seen', status: 'InProgress' }));
  expect(patched).toMatchObject({ title: 'Seen', status: 'InProgress', completedAtUtc: null });
  const replaced = { title: 'New', status: 'InProgress', priority: 1, sortOrder: 0, tags: [] };
  expect(await data(as('owner', 'PUT', `/tasks/${task.id}`, replaced))).toMatchObject({
    title: 'New',
    estimateMinutes: null,
  });
  const board = await data(as('owner', 'GET', `/projects/${project}/tasks/board`));
  expect(board).toMatchObject({ totalCount: 1, overdueCount: 0 });
  expect(board.columns.map(({ status }: Task) => status)).toEqual([
    'Backlog',
    'Todo',
    'InProgress',
    'Blocked',
    'InReview',
    'Done',
    'Cancelled',
  ]);
  await failure(as('bob', 'GET', `/tasks/${task.id}`), 404, 'NOT_FOUND');
  expect((await data(as('bob', 'GET', '/tasks'))).totalCount).toBe(0);
  await failure(as('bob', 'POST', `/projects/${project}/tasks`, { title: 'x' }), 404, 'NOT_FOUND');
});

it('wait for each other, never in a circle, and go on when nothing is waited for', async () => {
  const [a, b, c] = [
    await make('a', { status: 'Todo' }),
    await make('b', { status: 'Todo' }),
    await make('c', { status: 'Todo' }),
  ];
  const depend = (on: Task, from: Task, kind?: string) =>
    as('owner', 'POST', `/tasks/${from.id}/dependencies`, { dependsOnTaskId: on.id, kind });
  expect(await data(depend(a, b))).toMatchObject({
    status: 'Blocked',
    blockedByCount: 1,
    dependencies: [{ dependsOnTaskId: a.id }],
  });
  await data(depend(b, c));
  await failure(depend(c, a), 409, 'CYCLE_DETECTED');
  await failure(depend(a, a), 409, 'CYCLE_DETECTED');
  await data(depend(c, a, 'RelatesTo'));
  await failure(move(b.id, 'InProgress'), 409, 'CONFLICT', /force/);
  await data(move(a.id, 'InProgress'));
  await data(move(a.id, 'Done'));
  const status = async ({ id }: Task) => (await data(as('owner', 'GET', `/tasks/${id}`))).status;
  expect(await status(b)).toBe('Todo');
  expect(await status(c)).toBe('Blocked');
  await data(as('owner', 'DELETE', `/tasks/${c.id}/dependencies/${b.id}`));
  expect(await status(c)).toBe('Todo');
  const two = [await make('x', { status: 'Todo' }), await make('y', { status: 'Todo' })] as const;
  const answers = await Promise.all([depend(two[0], two[1]), depend(two[1], two[0])]);
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThan(2);
});

it('have one owner each, however many claim them at once, and are free again when the claim ends', async () => {
  const where = await newProject();
  const { identityId } = stand.person('bob');
  const { userId } = stand.person('bob');
  await data(as('owner', 'PUT', `/projects/${where}/members`, { members: [{ userId, role: 'Contributor' }] }));
  const all = await Promise.all(Array.from({ length: 20 }, (_, n) => make(`claim ${n}`, {}, where)));
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      as(n % 2 ? 'owner' : 'bob', 'POST', `/tasks/${all[n % 20].id}/claim`, { leaseSeconds: 600 }),
    ),
  );
  const owners = new Map<number, Set<number>>();
  for (const { status, body } of answers) {
    if (status !== 200) expect(body.errorCode).toBe('ALREADY_CLAIMED');
    else owners.set(body.data.id, new Set([...(owners.get(body.data.id) ?? []), body.data.assigneeIdentityId]));
  }
  expect(owners.size).toBe(20);
  for (const who of owners.values()) expect(who.size).toBe(1);
  const short = await make('short', {}, where);
  await data(as('bob', 'POST', `/tasks/${short.id}/claim`, { leaseSeconds: 5 }));
  await failure(as('owner', 'POST', `/tasks/${short.id}/claim`), 409, 'ALREADY_CLAIMED');
  shifted.shift(5000);
  await expect
    .poll(async () => data(as('owner', 'GET', `/tasks/${short.id}`)))
    .toMatchObject({ status: 'Todo', assigneeIdentityId: null, claimExpiresAtUtc: null });
  expect(identityId).toBeGreaterThan(0);
});

it('stay in one order while ten people move them', async () => {
  const where = await newProject();
  const all: Task[] = [];
  for (let n = 0; n < 10; n++) all.push(await make(`t${n}`, {}, where));
  expect(await titles(where)).toEqual(all.map(({ title }) => title));
  const [first, second] = all;
  await data(as('owner', 'POST', `/tasks/${all[9].id}/move`, { afterTaskId: first.id }));
  expect((await titles(where)).slice(0, 3)).toEqual(['t0', 't9', 't1']);
  await data(as('owner', 'POST', `/tasks/${second.id}/move`, { sortOrder: 0 }));
  expect((await titles(where))[0]).toBe('t1');
  const members = movers.map((name) => ({ userId: stand.person(name).userId, role: 'Contributor' }));
  await data(as('owner', 'PUT', `/projects/${where}/members`, { members }));
  const ten = ['owner', ...movers];
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      as(ten[Math.floor(n / 6)] ?? 'owner', 'POST', `/tasks/${all[n % 10].id}/move`, { sortOrder: (n * 7) % 10 }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200));
  const items = (await data(as('owner', 'GET', `/projects/${where}/tasks`))).items;
  expect(items.map(({ sortOrder }: Task) => sortOrder)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(new Set(items.map(({ id }: Task) => id)).size).toBe(10);
  const order = items.map(({ id }: Task) => id);
  for (const who of movers) {
    const seen = (await data(as(who, 'GET', `/projects/${where}/tasks`))).items;
    expect(seen.map(({ id }: Task) => id)).toEqual(order);
  }
});

it('have subtasks, which go along to other projects and away with their parent', async () => {
  const [from, to] = [await newProject(), await newProject()];
  const parent = await make('parent', {}, from);
  const child = await make('child', { parentTaskId: parent.id }, from);
  await failure(as('owner', 'POST', `/tasks/${parent.id}/move`, { parentTaskId: child.id }), 409, 'CYCLE_DETECTED');
  await failure(as('owner', 'PATCH', `/tasks/${parent.id}`, { parentTaskId: child.id }), 409, 'CYCLE_DETECTED');
  await data(as('owner', 'POST', `/tasks/${parent.id}/move`, { projectId: to }));
  expect(await titles(from)).toEqual([]);
  expect(await data(as('owner', 'GET', `/tasks/${parent.id}`))).toMatchObject({
    projectId: to,
    subtaskCount: 1,
    openSubtaskCount: 1,
  });
  expect((await as('owner', 'DELETE', `/tasks/${parent.id}`)).status).toBe(200);
  await failure(as('owner', 'GET', `/tasks/${child.id}`), 404, 'NOT_FOUND');
});

it('give each identity the next one: the most important that waits for nothing', async () => {
  const where = await newProject();
  const next = async () => (await data(as('owner', 'GET', `/tasks/next?projectId=${where}`))).title;
  await failure(as('owner', 'GET', `/tasks/next?projectId=${where}`), 404, 'NOT_FOUND');
  await make('later', { priority: 60, dueAtUtc: '2090-01-01T00:00:00Z' }, where);
  await make('no date', { priority: 60 }, where);
  const soon = await make('soon', { priority: 60, dueAtUtc: '2030-01-01T00:00:00Z' }, where);
  const waits = await make('waits', { priority: 90, dependsOnTaskIds: [soon.id] }, where);
  await make('others', { priority: 99, assigneeIdentityId: stand.person('bob').identityId }, where);
  expect(await next()).toBe('soon');
  await data(move(soon.id, 'Cancelled'));
  expect(await next()).toBe('waits');
  await data(as('owner', 'POST', `/tasks/${waits.id}/claim`));
  expect(await next()).toBe('later');
});

it('are talked about; who is mentioned or given one finds it in the inbox', async () => {
  const task = await make('Talk');
  const bob = stand.person('bob');
  const comment = await data(
    as('owner', 'POST', `/tasks/${task.id}/comments`, {
      content: 'See @Bob, please',
      mentionIdentityIds: [bob.identityId],
    }),
  );
  expect(comment).toMatchObject({ authorKind: 'Identity', mentionIdentityIds: [bob.identityId] });
  await data(as('owner', 'POST', `/tasks/${task.id}/assign`, { identityId: bob.identityId, note: 'soon' }));
  const mail = await data(as('bob', 'GET', '/messages/inbox'));
  const said = JSON.stringify(mail);
  expect(said).toContain('mentioned you');
  expect(said).toContain('gave you the task');
  expect((await data(as('owner', 'GET', `/tasks/${task.id}/comments`))).totalCount).toBe(1);
  await failure(
    as('owner', 'POST', `/tasks/${task.id}/comments`, { content: 'x', mentionIdentityIds: [999] }),
    404,
    'NOT_FOUND',
  );
  expect((await as('owner', 'DELETE', `/tasks/${task.id}/comments/${comment.id}`)).status).toBe(200);
});

it('are worked on by runs, whose end they follow', async () => {
  const task = await make('Echo', { status: 'Todo', acceptanceCriteria: 'It echoes.' });
  const run = await data(as('owner', 'POST', `/tasks/${task.id}/run`, { modelId: 'scripted:echo' }));
  expect(run).toMatchObject({
    taskId: task.id,
    taskTitle: 'Echo',
    projectId: project,
    goal: expect.stringContaining('Done when'),
  });
  await expect
    .poll(async () => data(as('owner', 'GET', `/tasks/${task.id}`)), { timeout: 20_000 })
    .toMatchObject({
      status: 'Done',
      latestRunId: run.id,
      latestRunStatus: 'Completed',
      runCount: 1,
    });
  expect((await data(as('owner', 'GET', `/tasks/${task.id}/runs`))).totalCount).toBe(1);
  const cancelled = await make('Stop', { status: 'Todo' });
  const other = await data(as('owner', 'POST', `/tasks/${cancelled.id}/run`, { autoStart: false }));
  await failure(as('owner', 'POST', `/tasks/${cancelled.id}/run`), 409, 'ALREADY_CLAIMED');
  await data(as('owner', 'POST', `/agent/runs/${other.id}/cancel`));
  await expect
    .poll(async () => (await data(as('owner', 'GET', `/tasks/${cancelled.id}`))).status, { timeout: 20_000 })
    .toBe('Todo');
  await data(as('owner', 'POST', `/projects/${project}/archive`));
  await failure(as('owner', 'POST', `/projects/${project}/tasks`, { title: 'x' }), 409, 'CONFLICT', /archived/);
  await failure(as('owner', 'POST', `/tasks/${cancelled.id}/run`), 409, 'CONFLICT');
});
