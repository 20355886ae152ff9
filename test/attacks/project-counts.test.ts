// Counts and news of an identity hold nothing of projects that are not those of whoever looks.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWithPeople } from '../support/people.ts';
import { openSocket } from '../support/web-socket.ts';

let stand: Awaited<ReturnType<typeof startWithPeople>>;
let projectId: number;
let identityId: number;

const as = (who: string, method: string, path: string, body?: unknown) => stand.as(who, method, `/api${path}`, body);
const data = async (answer: ReturnType<typeof as>) => {
  const { body } = await answer;
  expect(body.error ?? null).toBeNull();
  return body.data;
};

beforeAll(async () => {
  stand = await startWithPeople([], { ada: 'Operator', guest: 'Operator', bob: 'Viewer' });
  identityId = stand.person('ada').identityId;
  projectId = (await data(as('ada', 'POST', '/projects', { name: 'Walled' }))).id;
  const body = { goal: 'Ask.', identityId, projectId, modelId: 'scripted:demo', autoStart: true };
  const run = await data(as('ada', 'POST', '/agent/runs', body));
  await data(as('ada', 'POST', `/agent/runs/${run.id}/tasks`, { title: 'One to do' }));
  await data(as('ada', 'POST', `/agent/runs/${run.id}/escalate`, { situation: 'May I?' }));
  const remember = (title: string, more: object) =>
    data(as('ada', 'POST', `/identities/${identityId}/memories`, { title, content: title, isShared: true, ...more }));
  await remember('Behind the wall', { projectId, isPinned: true });
  await remember('For nobody else', { isShared: false, isPinned: true });
  await remember('For everybody', { tags: ['boats'] });
  const rule = { kind: 'Should', trigger: 'Always', identityId };
  await data(as('ada', 'POST', '/standing-rules', { ...rule, assertion: 'Behind the wall, too', projectId }));
  const { id } = await data(as('ada', 'POST', '/standing-rules', { ...rule, assertion: 'Once' }));
  await data(as('ada', 'POST', `/standing-rules/${id}/withdraw`, { statusReason: 'Over.' }));
  const interests = [{ topic: 'Tides', weight: 1 }];
  await data(as('ada', 'PUT', `/identities/${identityId}/interests`, { interests }));
});
afterAll(() => stand.close());

it('a summary counts for a member, and nothing for others', async () => {
  const open = async () => (await data(as('ada', 'GET', '/agent/escalations'))).totalCount;
  await expect.poll(open, { timeout: 20_000 }).toBeGreaterThan(0);
  const summary = (who: string) => data(as(who, 'GET', `/identities/${identityId}/summary`));
  const counts = ['totalRunCount', 'activeRunCount', 'openTaskCount', 'pendingEscalationCount', 'tokensUsed'];
  const [ours, theirs] = [await summary('ada'), await summary('guest')];
  expect(ours.totalRunCount).toBeGreaterThan(0);
  expect(ours.pendingEscalationCount).toBeGreaterThan(0);
  expect(counts.map((name) => [name, theirs[name]])).toEqual(counts.map((name) => [name, 0]));
  expect([theirs.lastRunAtUtc, theirs.lastActiveAtUtc]).toEqual([null, null]);
});

it('a summary counts what is known, as far as who asks may read it', async () => {
  const known = async (who: string) => {
    const { memoryCount, pinnedMemoryCount, standingRuleCount, topInterests } = await data(
      as(who, 'GET', `/identities/${identityId}/summary`),
    );
    return [memoryCount, pinnedMemoryCount, standingRuleCount, topInterests];
  };
  await expect.poll(() => known('ada')).toEqual([3, 2, 1, ['Tides', 'boats']]);
  // An operator may act as ada, and is no member of the project.
  expect(await known('guest')).toEqual([2, 1, 0, ['Tides', 'boats']]);
  expect(await known('bob')).toEqual([1, 0, 0, []]);
});

it('a session counts the questions that the caller may see', async () => {
  const pending = async (who: string) => (await data(as(who, 'GET', '/session'))).pendingEscalationCount;
  expect(await pending('ada')).toBeGreaterThan(0);
  expect(await pending('guest')).toBe(0);
});

it('rules of a project reach nobody else by the topic of the identity that they bind', async () => {
  const follow = async (who: string) => {
    const socket = await openSocket(stand.server.url, { authorization: `Bearer ${stand.person(who).key}` });
    const topics = [`identity:${identityId}`];
    expect(await socket.command({ op: 'Subscribe', id: 's', topics })).toMatchObject({ ok: true });
    return socket;
  };
  const [ours, theirs] = [await follow('ada'), await follow('guest')];
  const state = (assertion: string, more: object) =>
    data(as('ada', 'POST', '/standing-rules', { assertion, kind: 'Should', trigger: 'Always', identityId, ...more }));
  await state('Keep the secret', { projectId });
  await state('Be on time', {});
  // The later one has come to both: what comes before it would have.
  for (const socket of [ours, theirs]) await expect.poll(() => JSON.stringify(socket.frames)).toContain('Be on time');
  expect(JSON.stringify(ours.frames)).toContain('Keep the secret');
  expect(JSON.stringify(theirs.frames)).not.toContain('Keep the secret');
  ours.end();
  theirs.end();
});
