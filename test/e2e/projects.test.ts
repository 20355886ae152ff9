// Projects from end to end: who may know of them and what is in them, on every path that leads there.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { startWithPeople } from '../support/people.ts';

type Stand = Awaited<ReturnType<typeof startWithPeople>>;

let stand: Stand;
beforeAll(async () => {
  stand = await startWithPeople(['Member'], { ada: 'Member', guest: 'Member', pilot: 'Operator', agent: 'Agent' });
});
afterAll(() => stand.close());

const as = (who: string, method: string, path: string, body?: unknown) => stand.as(who, method, `/api${path}`, body);
const data = async (answer: ReturnType<typeof as>) => {
  const { body } = await answer;
  expect(body.error ?? null).toBeNull();
  return body.data;
};
const make = async (fields: object = {}, who = 'ada') =>
  data(as(who, 'POST', '/projects', { name: 'River works', ...fields }));

it('are made with a key of their name, owned by who makes them, and told to their members', async () => {
  const first = await make({ tags: ['a'] });
  const second = await make();
  expect(first).toMatchObject({ key: 'RW', status: 'Active', tags: ['a'], memberCount: 0, taskCount: 0 });
  expect(first.ownerUserId).toBe(stand.person('ada').userId);
  expect(second.key).toBe('RW2');
  await failure(as('ada', 'POST', '/projects', { name: 'x', key: 'rw' }), 409, 'DUPLICATE', /RW/);
  expect(await data(as('ada', 'GET', `/projects/${first.id}`))).toMatchObject({
    callerRole: 'Owner',
    site: { siteEnabled: false, latest: null },
    members: [],
  });
  const mine = await data(as('ada', 'GET', '/projects?mine=true&sort=id'));
  expect(mine.items.map(({ key }: { key: string }) => key)).toEqual(['RW', 'RW2']);
  expect((await data(as('Member', 'GET', '/projects'))).totalCount).toBe(0);
  expect((await data(as('owner', 'GET', '/projects'))).totalCount).toBe(2);
});

it('let each role do what it may, and no more', async () => {
  const { id } = await make({ name: 'Roles' });
  const [guest, member] = [stand.person('guest'), stand.person('Member')];
  const set = (members: object[], who = 'ada') => as(who, 'PUT', `/projects/${id}/members`, { members });
  await failure(set([{ role: 'Viewer' }]), 400, 'VALIDATION_FAILED', /exactly one/);
  await failure(set([{ userId: 999, role: 'Viewer' }]), 404, 'NOT_FOUND', /users/);
  const twice = { userId: guest.userId, role: 'Viewer' };
  await failure(set([twice, twice]), 400, 'VALIDATION_FAILED', /one role/);
  await failure(as('guest', 'GET', `/projects/${id}`), 404, 'NOT_FOUND');
  await data(set([twice, { userId: member.userId, role: 'Contributor' }]));
  expect(await data(as('guest', 'GET', `/projects/${id}`))).toMatchObject({ callerRole: 'Viewer' });
  const fact = { key: 'river', value: 'wide' };
  await failure(as('guest', 'POST', `/projects/${id}/facts`, fact), 403, 'FORBIDDEN', /Contributor/);
  const written = await data(as('Member', 'POST', `/projects/${id}/facts`, fact));
  expect((await data(as('guest', 'GET', `/projects/${id}/facts`))).totalCount).toBe(1);
  await failure(as('guest', 'PATCH', `/facts/${written.id}`, { value: 'x' }), 403, 'FORBIDDEN');
  await failure(as('Member', 'PATCH', `/projects/${id}`, { name: 'Mine' }), 403, 'FORBIDDEN', /Maintainer|owner/);
  await data(set([{ userId: member.userId, role: 'Maintainer' }]));
  await failure(as('guest', 'GET', `/facts/${written.id}`), 404, 'NOT_FOUND');
  expect(await data(as('Member', 'PATCH', `/projects/${id}`, { name: 'Ours' }))).toMatchObject({ name: 'Ours' });
  await failure(set([{ userId: member.userId, role: 'Owner' }], 'Member'), 403, 'FORBIDDEN', /owner/);
  await failure(as('Member', 'POST', `/projects/${id}/archive`), 403, 'FORBIDDEN');
});

it('move between their states; archived ones take no new work, and are deleted by their key', async () => {
  const { id, key } = await make({ name: 'Short life' });
  await failure(as('ada', 'PATCH', `/projects/${id}`, { status: 'Archived' }), 409, 'INVALID_TRANSITION', /archive/);
  for (const status of ['Paused', 'Active', 'Completed', 'Active', 'Planned', 'Active'])
    expect((await data(as('ada', 'PATCH', `/projects/${id}`, { status }))).status).toBe(status);
  await data(as('ada', 'POST', `/projects/${id}/facts`, { key: 'k', value: 'v' }));
  await failure(as('ada', 'DELETE', `/projects/${id}`, { confirmKey: key }), 409, 'CONFLICT', /archive/);
  expect(await data(as('ada', 'POST', `/projects/${id}/archive`))).toMatchObject({ status: 'Archived' });
  const identityId = stand.person('ada').identityId;
  await failure(
    as('ada', 'POST', '/agent/runs', { goal: 'x', identityId, projectId: id }),
    409,
    'CONFLICT',
    /archived/,
  );
  await failure(
    as('ada', 'DELETE', `/projects/${id}`, { confirmKey: 'NO' }),
    400,
    'VALIDATION_FAILED',
    new RegExp(key),
  );
  expect((await as('ada', 'DELETE', `/projects/${id}`, { confirmKey: key })).status).toBe(200);
  await failure(as('ada', 'GET', `/projects/${id}`), 404, 'NOT_FOUND');
  await failure(as('ada', 'GET', `/projects/${id}/facts`), 404, 'NOT_FOUND');
  expect((await data(as('owner', 'GET', `/projects/${id}/facts`))).totalCount).toBe(0);
  expect((await make({ name: 'Short life' })).key).toBe(key);
});

it('refuse what cannot be: repositories of the server, units, people who are not there', async () => {
  const refused = (fields: object, code: string, hint: RegExp) =>
    failure(as('ada', 'POST', '/projects', { name: 'x', ...fields }), code === 'NOT_FOUND' ? 404 : 400, code, hint);
  for (const repositoryUrl of [
    'file:///etc',
    'http://host/x.git',
    'https://me:secret@host/x.git',
    '/srv/x.git',
    'ssh://h/x',
  ])
    await refused({ repositoryUrl }, 'VALIDATION_FAILED', /https/);
  await refused({ defaultBranch: '--upload-pack=x' }, 'VALIDATION_FAILED', /./);
  await refused({ ownerUserId: 999 }, 'NOT_FOUND', /users/);
  await refused({ leadIdentityId: 999 }, 'NOT_FOUND', /identities/);
  await refused({ orgUnitId: 1 }, 'NOT_FOUND', /org-units/);
  await refused({ key: '1' }, 'VALIDATION_FAILED', /./);
});

it('leave ids open that somebody used before there were projects', async () => {
  const next = (await make({ name: 'Last' })).id + 1;
  await data(as('Member', 'POST', `/projects/${next}/facts`, { key: 'old', value: 'ours' }));
  const made = await make({ name: 'After' });
  expect(made.id).toBeGreaterThan(next);
  expect((await data(as('guest', 'GET', `/projects/${next}/facts`))).totalCount).toBe(1);
});

it('say what happened in them, and count it', async () => {
  const { id } = await make({ name: 'Lively', agentInstructions: 'Speak softly.' });
  const identityId = stand.person('ada').identityId;
  await data(as('ada', 'POST', `/projects/${id}/facts`, { key: 'k', value: 'v' }));
  const run = await data(
    as('ada', 'POST', '/agent/runs', { goal: 'Look around', identityId, projectId: id, autoStart: true }),
  );
  await data(as('ada', 'GET', `/agent/runs/${run.id}/wait?timeoutMs=20000`));
  await expect
    .poll(async () => {
      const { items } = await data(as('ada', 'GET', `/projects/${id}/activity`));
      return items.map(({ kind, action }: { kind: string; action: string }) => `${kind} ${action}`);
    })
    .toEqual(['Run completed', 'Run created', 'Fact written', 'Project created']);
  const facts = await data(as('ada', 'GET', `/projects/${id}/activity?kind=Fact`));
  expect(facts.items).toMatchObject([{ title: 'k', url: expect.stringContaining('/api/facts/') }]);
  const summary = await data(as('ada', 'GET', `/projects/${id}/summary?days=7`));
  expect(summary).toMatchObject({ runCount: 1, successRate: 1, factCount: 1, runsByStatus: { Completed: 1 } });
  expect(summary.costPoints).toHaveLength(7);
  expect(await data(as('ada', 'GET', `/projects/${id}`))).toMatchObject({ factCount: 1, activeRunCount: 0 });
});

it('take nobody whose account is closed, and keep those who were in them before', async () => {
  const { id } = await make({ name: 'Leavers' });
  const invite = async (username: string) =>
    (await data(as('owner', 'POST', '/users', { username, password: 'a few words make one', role: 'Member' }))).id;
  const [stays, leaves, late] = [await invite('stays'), await invite('leaves'), await invite('late')];
  const viewer = (userId: number) => ({ userId, role: 'Viewer' });
  const set = (...users: number[]) => as('ada', 'PUT', `/projects/${id}/members`, { members: users.map(viewer) });
  await data(set(leaves));
  for (const user of [leaves, late]) await data(as('owner', 'DELETE', `/users/${user}`));
  await failure(set(leaves, late), 404, 'NOT_FOUND', /users/);
  await failure(as('ada', 'PATCH', `/projects/${id}`, { ownerUserId: late }), 404, 'NOT_FOUND', /users/);
  await failure(as('ada', 'POST', '/projects', { name: 'x', ownerUserId: late }), 404, 'NOT_FOUND', /users/);
  await data(set(leaves, stays));
  const ids = async () =>
    (await data(as('ada', 'GET', `/projects/${id}`))).members.map(({ userId }: { userId: number }) => userId);
  expect(await ids()).toEqual([leaves, stays]);
  await data(set(stays));
  await failure(set(leaves, stays), 404, 'NOT_FOUND', /users/);
  expect(await ids()).toEqual([stays]);
});

it('are written to as a whole, and tell agents elsewhere what their agents are told', async () => {
  const guest = stand.person('guest');
  const { id } = await make({ name: 'Crew', agentInstructions: 'Row in time.' });
  const broadcast = (who: string) => as(who, 'POST', '/messages/broadcast', { content: 'All hands', projectId: id });
  await failure(broadcast('pilot'), 404, 'NOT_FOUND');
  const pilot = (role: string) => ({ userId: stand.person('pilot').userId, role });
  const members = [{ userId: guest.userId, role: 'Viewer' }, pilot('Viewer')];
  await data(as('ada', 'PUT', `/projects/${id}/members`, { members }));
  await failure(broadcast('pilot'), 403, 'FORBIDDEN', /Contributor/);
  await data(as('ada', 'PUT', `/projects/${id}/members`, { members: [members[0], pilot('Contributor')] }));
  // Its owner and its viewer; who says it is left out.
  expect(await data(broadcast('pilot'))).toMatchObject({ recipientCount: 2, skipped: [] });
  const mail = await data(as('guest', 'GET', '/messages/inbox'));
  expect(mail.items).toMatchObject([{ content: 'All hands', projectId: id }]);
  const file = (who: string) =>
    fetch(`${stand.server.url}/api/identities/agents.md?projectId=${id}`, {
      headers: { authorization: `Bearer ${stand.person(who).key}` },
    });
  const text = await (await file('guest')).text();
  expect(text).toContain('The project Crew (CREW)');
  expect(text).toContain('Row in time.');
  expect((await file('Member')).status).toBe(404);
});
