// What is in a project, asked for on every path by somebody who is no member: not there, not listed, not counted, not told.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWithPeople } from '../support/people.ts';
import { openSocket } from '../support/web-socket.ts';

const secret = 'zebra';
let stand: Awaited<ReturnType<typeof startWithPeople>>;
/** What a member has put into the project, by the paths of each kind. */
const inside: Record<string, number> = {};
let project: number;

const as = (who: string, method: string, path: string, body?: unknown) => stand.as(who, method, `/api${path}`, body);
const data = async (answer: ReturnType<typeof as>) => {
  const { body } = await answer;
  expect(body.error ?? null).toBeNull();
  return body.data;
};

beforeAll(async () => {
  stand = await startWithPeople([], { ada: 'Operator', guest: 'Operator' });
  const make = async (kind: string, path: string, body: object) => {
    inside[kind] = (await data(as('ada', 'POST', path, body))).id;
  };
  await make('project', '/projects', { name: secret });
  project = inside.project as number;
  const projectId = project;
  const { identityId } = stand.person('ada');
  const run = { goal: secret, identityId, projectId, modelId: 'scripted:echo', autoStart: true };
  await make('run', '/agent/runs', run);
  await make('task', `/agent/runs/${inside.run}/tasks`, { title: secret });
  await make('note', `/agent/runs/${inside.run}/notes`, { content: secret });
  await make('fact', `/projects/${projectId}/facts`, { key: secret, value: secret });
  await make('goal', '/knowledge/goals', { topic: secret, projectId });
  await make('lesson', '/agent-memories', { title: secret, content: secret, kind: 'Lesson', projectId });
  const memory = { title: secret, content: `${secret} words`, projectId, isShared: true, isPinned: true };
  await make('memory', `/identities/${identityId}/memories`, memory);
  await make('rule', '/standing-rules', { assertion: `${secret} rule`, kind: 'Should', trigger: 'Always', projectId });
  await make('entity', '/graph/nodes', { name: `${secret} entity`, kind: 'Concept', projectId });
  await make('workspace', '/workspaces', { name: secret, projectId });
});
afterAll(() => stand.close());

/** Reads of one thing, with what the path is about. */
const single = () => [
  `/projects/${project}`,
  `/projects/${project}/summary`,
  `/projects/${project}/activity`,
  `/projects/${project}/facts`,
  `/projects/${project}/facts/search?q=${secret}`,
  `/projects/${project}/facts/by-key/${secret}`,
  `/projects/${project}/facts/by-key/${secret}/history`,
  `/facts/${inside.fact}`,
  ...[
    '',
    '/events',
    '/tasks',
    '/notes',
    '/messages',
    '/children',
    '/checkpoints',
    '/councils',
    '/feedback',
    '/files',
  ].map((below) => `/agent/runs/${inside.run}${below}`),
  `/knowledge/goals/${inside.goal}`,
  `/agent-memories/${inside.lesson}`,
  `/memories/${inside.memory}`,
  `/standing-rules/${inside.rule}`,
  `/graph/nodes/${inside.entity}`,
  `/graph/subgraph?nodeId=${inside.entity}`,
  `/graph/nodes?projectId=${project}`,
  `/workspaces/${inside.workspace}`,
  `/workspaces/${inside.workspace}/files`,
  `/agent/runs?projectId=${project}`,
  `/agent/escalations?projectId=${project}`,
  `/agent/analytics?projectId=${project}`,
  `/knowledge/goals?projectId=${project}`,
];
const lists = () => [
  '/projects',
  '/agent/runs',
  '/agent/escalations',
  '/knowledge/goals',
  '/agent-memories',
  `/agent-memories/search?q=${secret}`,
  `/identities/${stand.person('ada').identityId}/memories`,
  `/identities/${stand.person('ada').identityId}/memories/pinned`,
  `/identities/${stand.person('ada').identityId}/memories/recent`,
  `/identities/${stand.person('ada').identityId}/memories/search?q=${secret}`,
  '/standing-rules',
  `/standing-rules/search?q=${secret}`,
  '/graph/nodes',
  `/graph/nodes?q=${secret}`,
  '/graph/subgraph',
  `/graph/subgraph?q=${secret}`,
  '/workspaces',
  '/ai-router/usage/calls',
];
const changes = (): [string, string, object?][] => [
  ['PATCH', `/projects/${project}`, { name: 'mine' }],
  ['PUT', `/projects/${project}/members`, { members: [] }],
  ['POST', `/projects/${project}/archive`],
  ['DELETE', `/projects/${project}`, { confirmKey: 'Z' }],
  ['POST', `/projects/${project}/facts`, { key: 'k', value: 'v' }],
  ['PATCH', `/facts/${inside.fact}`, { value: 'x' }],
  ['DELETE', `/facts/${inside.fact}`],
  ['PATCH', `/agent/runs/${inside.run}`, { goal: 'mine' }],
  ['POST', `/agent/runs/${inside.run}/cancel`],
  ['POST', `/agent/runs/${inside.run}/unlearn`, {}],
  ['POST', `/agent/runs/${inside.run}/notes`, { content: 'x' }],
  ['PATCH', `/agent/tasks/${inside.task}`, { title: 'mine' }],
  ['DELETE', `/agent/runs/${inside.run}`],
  ['POST', '/agent/runs', { goal: 'x', projectId: inside.project }],
  ['POST', '/agent/runs', { goal: 'x', workspaceId: inside.workspace }],
  ['PATCH', `/knowledge/goals/${inside.goal}`, { topic: 'mine' }],
  ['POST', '/knowledge/goals', { topic: 'x', projectId: inside.project }],
  ['DELETE', `/agent-memories/${inside.lesson}`],
  ['POST', '/chat/sessions', { title: 'x', projectId: inside.project }],
  ['DELETE', `/graph/nodes/${inside.entity}`],
  ['POST', '/graph/nodes', { name: 'x', kind: 'Concept', projectId: inside.project }],
  ['PATCH', `/workspaces/${inside.workspace}`, { description: 'mine' }],
  ['DELETE', `/workspaces/${inside.workspace}`],
  ['PATCH', `/standing-rules/${inside.rule}`, { assertion: 'mine' }],
  ['POST', `/standing-rules/${inside.rule}/withdraw`, { statusReason: 'mine' }],
];

describe('somebody who is no member', () => {
  it('is answered 404 where a member is answered', async () => {
    for (const path of single()) {
      const [ours, theirs] = [await as('ada', 'GET', path), await as('guest', 'GET', path)];
      expect([path, ours.status]).toEqual([path, 200]);
      expect([path, theirs.status, theirs.body.errorCode]).toEqual([path, 404, 'NOT_FOUND']);
      expect(JSON.stringify(theirs.body)).not.toContain(secret);
    }
  });

  it('finds nothing of it in lists, searches and counts', async () => {
    for (const path of lists()) {
      const [ours, theirs] = [await data(as('ada', 'GET', path)), await data(as('guest', 'GET', path))];
      if (!['/ai-router/usage/calls', '/agent/escalations'].includes(path))
        expect([path, JSON.stringify(ours).includes(secret)]).toEqual([path, true]);
      expect([path, JSON.stringify(theirs)]).not.toEqual([path, expect.stringContaining(secret)]);
      if (typeof theirs.totalCount === 'number') expect([path, theirs.totalCount]).toEqual([path, 0]);
    }
    expect((await data(as('guest', 'GET', '/agent/analytics'))).totalRuns).toBe(0);
    expect((await data(as('ada', 'GET', '/agent/analytics'))).totalRuns).toBe(1);
    expect((await data(as('guest', 'GET', '/ai-router/usage'))).totalCalls).toBe(0);
  });

  it('changes nothing of it', async () => {
    for (const [method, path, body] of changes()) {
      const { status, body: answer } = await as('guest', method, path, body);
      expect([method, path, status, answer.errorCode]).toEqual([method, path, 404, 'NOT_FOUND']);
    }
  });

  it('follows nothing of it, and hears nothing of it where all of the tenant is told', async () => {
    const open = (who: string) => openSocket(stand.server.url, { authorization: `Bearer ${stand.person(who).key}` });
    const [ours, theirs] = [await open('ada'), await open('guest')];
    for (const topic of [`project:${project}`, `run:${inside.run}`, `run-tree:${inside.run}`]) {
      expect(await ours.command({ op: 'Subscribe', id: topic, topics: [topic] })).toMatchObject({ ok: true });
      expect(await theirs.command({ op: 'Subscribe', id: topic, topics: [topic] })).toMatchObject({
        errorCode: 'NOT_FOUND',
      });
    }
    for (const socket of [ours, theirs])
      expect(await socket.command({ op: 'Subscribe', id: 'all', topics: ['runs', 'escalations'] })).toMatchObject({
        ok: true,
      });
    const { identityId } = stand.person('ada');
    const more = await data(as('ada', 'POST', '/agent/runs', { goal: secret, identityId, projectId: project }));
    // A run of no project comes after it on the same topic: whoever hears of it has passed the other.
    const plain = await data(as('ada', 'POST', '/agent/runs', { goal: 'open', identityId }));
    const heard = (socket: typeof ours) =>
      socket.frames.filter(({ topic }) => topic === 'runs').map(({ data }) => data.id as number);
    await expect.poll(() => heard(ours)).toEqual(expect.arrayContaining([more.id, plain.id]));
    await expect.poll(() => heard(theirs)).toContain(plain.id);
    expect(heard(theirs)).not.toContain(more.id);
    for (const socket of [ours, theirs]) socket.end();
  });

  it('is not shown what a rule of everybody stands on', async () => {
    const rule = { assertion: 'Open to all', kind: 'Should', trigger: 'Always', groundingMemoryIds: [inside.memory] };
    const path = `/standing-rules/${(await data(as('ada', 'POST', '/standing-rules', rule))).id}`;
    expect((await data(as('ada', 'GET', path))).grounding).toMatchObject([{ memoryTitle: secret }]);
    expect((await data(as('guest', 'GET', path))).grounding).toMatchObject([{ memoryTitle: null, excerpt: null }]);
  });
});

it('a member who is removed loses the topic at once', async () => {
  const { userId, key } = stand.person('guest');
  const set = (members: object[]) => data(as('ada', 'PUT', `/projects/${project}/members`, { members }));
  await set([{ userId, role: 'Viewer' }]);
  const socket = await openSocket(stand.server.url, { authorization: `Bearer ${key}` });
  const topic = `project:${project}`;
  expect(await socket.command({ op: 'Subscribe', id: 's', topics: [topic] })).toMatchObject({ ok: true });
  await set([]);
  expect((await as('guest', 'GET', `/projects/${project}`)).status).toBe(404);
  await data(as('ada', 'POST', `/projects/${project}/facts`, { key: 'later', value: secret }));
  expect(await socket.command({ op: 'Subscribe', id: 't', topics: [topic] })).toMatchObject({ errorCode: 'NOT_FOUND' });
  expect(JSON.stringify(socket.frames)).not.toContain('later');
  socket.end();
});
