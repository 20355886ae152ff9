// Organisation units from end to end: the tree, who is in it, what that opens, and how people get in.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { failure } from '../support/failure.ts';
import { mailsOf } from '../support/mailbox.ts';
import { startWithPeople } from '../support/people.ts';
import { request } from '../support/test-server.ts';

type Stand = Awaited<ReturnType<typeof startWithPeople>>;

let stand: Stand;
const people = { ada: 'Member', bob: 'Member', guest: 'Viewer', admin: 'Admin', agent: 'Agent' } as const;
beforeAll(async () => {
  stand = await startWithPeople([], people);
});
afterAll(() => stand.close());

const as = (who: string, method: string, path: string, body?: unknown) => stand.as(who, method, `/api${path}`, body);
const data = async (answer: ReturnType<typeof as>) => {
  const { body } = await answer;
  expect([body.error ?? null, body.hint ?? null]).toEqual([null, null]);
  return body.data;
};
let count = 0;
const unit = (fields: object = {}) => data(as('admin', 'POST', '/org-units', { name: `Unit ${++count}`, ...fields }));
const userId = (name: string) => stand.person(name).userId;
const roleId = async (name: string): Promise<number> =>
  (await data(as('owner', 'GET', '/roles'))).items.find((one: { name: string }) => one.name === name).id;
const join = (id: number, name: string, more: object = {}) =>
  data(as('admin', 'POST', `/org-units/${id}/members`, { userId: userId(name), ...more }));

it('are a tree: with paths, depths and counts, moved as wholes and never into a circle', async () => {
  const company = await unit({ name: 'Acme Ünited', kind: 'Company' });
  const division = await unit({ name: 'Engineering', parentId: company.id, kind: 'Division' });
  const team = await unit({ name: 'Platform', parentId: division.id, managerUserId: userId('ada'), costCenter: '42' });
  expect(company).toMatchObject({ key: 'acme-united', path: 'acme-united', depth: 0, childCount: 0, isActive: true });
  expect(team).toMatchObject({ path: 'acme-united/engineering/platform', depth: 2, managerName: 'ada' });
  expect((await unit({ name: 'Platform' })).key).toBe('platform-2');
  await failure(as('admin', 'POST', '/org-units', { name: 'x', key: 'Platform' }), 409, 'DUPLICATE', /platform/);
  await failure(as('admin', 'POST', '/org-units', { name: 'x', parentId: 999 }), 404, 'NOT_FOUND', /org-units/);
  await failure(as('admin', 'POST', '/org-units', { name: 'x', managerUserId: 999 }), 404, 'NOT_FOUND', /users/);
  await failure(as('admin', 'POST', `/org-units/${company.id}/move`, { parentId: team.id }), 409, 'CONFLICT');
  await failure(as('admin', 'POST', `/org-units/${company.id}/move`, { parentId: company.id }), 409, 'CONFLICT');
  const moved = await data(as('admin', 'POST', `/org-units/${team.id}/move`, { parentId: company.id, sortOrder: 3 }));
  expect(moved).toMatchObject({ path: 'acme-united/platform', depth: 1, sortOrder: 3 });
  const names = (units: { name: string }[]) => units.map(({ name }) => name);
  expect(names(await data(as('guest', 'GET', `/org-units/${company.id}/children`)))).toEqual([
    'Engineering',
    'Platform',
  ]);
  expect(names(await data(as('guest', 'GET', `/org-units/${team.id}/ancestors`)))).toEqual(['Acme Ünited', 'Platform']);
  const [tree] = await data(as('guest', 'GET', `/org-units/tree?rootId=${company.id}`));
  expect(tree.children.map(({ key }: { key: string }) => key)).toEqual(['engineering', 'platform']);
  const [shallow] = await data(as('guest', 'GET', `/org-units/tree?rootId=${company.id}&depth=0`));
  expect(shallow.children).toEqual([]);
  await failure(as('ada', 'POST', '/org-units', { name: 'x' }), 403, 'FORBIDDEN', /OrgUnitsWrite/);
  await data(as('admin', 'PATCH', `/org-units/${division.id}`, { isActive: false, description: 'at rest' }));
  expect(names(await data(as('guest', 'GET', `/org-units/${company.id}/children`)))).toEqual(['Platform']);
  const all = await data(as('guest', 'GET', `/org-units/${company.id}/children?includeInactive=true`));
  expect(names(all)).toEqual(['Engineering', 'Platform']);
});

it('that are moved into each other at the same moment make no circle', async () => {
  for (let round = 0; round < 5; round++) {
    const [a, b] = [await unit(), await unit()];
    const move = (one: { id: number }, to: { id: number }) =>
      as('admin', 'POST', `/org-units/${one.id}/move`, { parentId: to.id });
    const statuses = (await Promise.all([move(a, b), move(b, a)])).map(({ status }) => status);
    expect(statuses.filter((one) => one === 200).length).toBeLessThanOrEqual(1);
    const paths = await Promise.all([a, b].map(({ id }) => data(as('guest', 'GET', `/org-units/${id}/ancestors`))));
    expect(Math.min(...paths.map((path) => path.length))).toBe(1);
  }
});

it('open their projects, and those below, to their members as their roles say, until they leave', async () => {
  const top = await unit();
  const team = await unit({ parentId: top.id });
  const project = await data(as('admin', 'POST', '/projects', { name: 'In the team', orgUnitId: team.id }));
  expect(project).toMatchObject({ orgUnitId: team.id, orgUnitName: team.name });
  const fact = (who: string) => as(who, 'POST', `/projects/${project.id}/facts`, { key: `of ${who}`, value: 'x' });
  const roleIn = async (who: string) => {
    const { status, body } = await as(who, 'GET', `/projects/${project.id}`);
    return status === 200 ? body.data.callerRole : status;
  };
  expect(await roleIn('ada')).toBe(404);
  const viewer = await join(top.id, 'ada', { roleId: await roleId('Viewer'), title: 'Guest of the house' });
  expect(viewer).toMatchObject({ memberKind: 'User', name: 'ada', roleName: 'Viewer', isManager: false });
  expect(await roleIn('ada')).toBe('Viewer');
  await failure(fact('ada'), 403, 'FORBIDDEN', /Contributor/);
  const path = `/org-units/${top.id}/members/${viewer.id}`;
  await data(as('admin', 'PATCH', path, { roleId: await roleId('Member') }));
  expect(await roleIn('ada')).toBe('Contributor');
  expect((await fact('ada')).status).toBe(200);
  await data(as('admin', 'PATCH', path, { isManager: true }));
  expect(await roleIn('ada')).toBe('Maintainer');
  expect((await data(as('ada', 'GET', '/projects?mine=true'))).totalCount).toBe(0);
  expect((await data(as('ada', 'GET', `/projects?orgUnitId=${team.id}`))).totalCount).toBe(1);
  expect((await data(as('ada', 'GET', `/org-units/${top.id}/projects`))).totalCount).toBe(0);
  expect((await data(as('ada', 'GET', `/org-units/${top.id}/projects?includeDescendants=true`))).totalCount).toBe(1);
  const { identityId } = stand.person('admin');
  await data(
    as('admin', 'POST', '/agent/runs', { goal: 'Work.', identityId, projectId: project.id, autoStart: false }),
  );
  const runsOf = async (who: string) => (await data(as(who, 'GET', `/org-units/${top.id}/usage`))).runCount;
  expect([await runsOf('admin'), await runsOf('ada'), await runsOf('bob')]).toEqual([1, 1, 0]);
  // Who is in neither unit counts nothing of them.
  expect((await data(as('bob', 'GET', `/org-units/${top.id}/projects?includeDescendants=true`))).totalCount).toBe(0);
  await data(as('admin', 'PATCH', `/org-units/${top.id}`, { isActive: false }));
  expect(await roleIn('ada')).toBe(404);
  await data(as('admin', 'PATCH', `/org-units/${top.id}`, { isActive: true }));
  expect(await roleIn('ada')).toBe('Maintainer');
  await data(as('admin', 'DELETE', path));
  expect(await roleIn('ada')).toBe(404);
  await data(as('admin', 'PATCH', `/org-units/${team.id}`, { managerUserId: userId('bob') }));
  expect(await roleIn('bob')).toBe('Maintainer');
  await data(as('owner', 'PATCH', `/projects/${project.id}`, { orgUnitId: null }));
  expect(await roleIn('bob')).toBe(404);
});

it('let identities that belong to them work in their projects, and let go of them', async () => {
  const team = await unit();
  const { identityId } = stand.person('agent');
  const project = await data(as('admin', 'POST', '/projects', { name: 'For the agent', orgUnitId: team.id }));
  const open = async () => (await as('agent', 'GET', `/projects/${project.id}`)).status;
  expect(await open()).toBe(404);
  await failure(as('admin', 'POST', `/org-units/${team.id}/identities`, { identityId: 999 }), 404, 'NOT_FOUND');
  await data(as('admin', 'POST', `/org-units/${team.id}/identities`, { identityId }));
  expect(await open()).toBe(200);
  expect((await data(as('guest', 'GET', `/org-units/${team.id}/identities`))).items).toMatchObject([
    { id: identityId },
  ]);
  expect(await data(as('guest', 'GET', `/org-units/${team.id}`))).toMatchObject({ identityCount: 1, projectCount: 1 });
  await data(as('admin', 'DELETE', `/org-units/${team.id}/identities/${identityId}`));
  expect(await open()).toBe(404);
  await failure(as('admin', 'DELETE', `/org-units/${team.id}/identities/${identityId}`), 404, 'NOT_FOUND');
});

it('give roles that they name, or inherit, and no heavier one than the caller has', async () => {
  const top = await unit();
  const team = await unit({ parentId: top.id });
  const [member, viewer, admin, owner] = await Promise.all(['Member', 'Viewer', 'Admin', 'Owner'].map(roleId));
  const given = async (id: number) =>
    (await data(as('guest', 'GET', `/org-units/${id}/roles`))).map((one: { roleName: string }) => one.roleName);
  expect(await given(team.id)).toEqual(await given(top.id));
  expect(await given(top.id)).toEqual(expect.arrayContaining(['Admin', 'Member', 'Viewer']));
  expect(await given(top.id)).not.toContain('Owner');
  await failure(as('admin', 'PUT', `/org-units/${top.id}/roles`, { roleIds: [owner] }), 400, 'VALIDATION_FAILED');
  await failure(as('admin', 'PUT', `/org-units/${top.id}/roles`, { roleIds: [999] }), 404, 'NOT_FOUND');
  const wrong = { roleIds: [viewer], defaultRoleId: member };
  await failure(as('admin', 'PUT', `/org-units/${top.id}/roles`, wrong), 400, 'VALIDATION_FAILED', /roleIds/);
  await data(as('admin', 'PUT', `/org-units/${top.id}/roles`, { roleIds: [viewer], defaultRoleId: viewer }));
  expect(await given(team.id)).toEqual(['Viewer']);
  const own = { roleIds: [member], inherit: true };
  expect(await data(as('admin', 'PUT', `/org-units/${team.id}/roles`, own))).toMatchObject([
    { roleName: 'Member', isInherited: false, isDefault: false },
    { roleName: 'Viewer', isInherited: true, isDefault: true },
  ]);
  const add = (fields: object) =>
    as('admin', 'POST', `/org-units/${team.id}/members`, { userId: userId('ada'), ...fields });
  await failure(add({ roleId: admin }), 400, 'VALIDATION_FAILED', /roles/);
  expect(await data(add({}))).toMatchObject({ roleName: 'Viewer' });
  await failure(add({}), 409, 'DUPLICATE');
  await failure(add({ identityId: 1 }), 400, 'VALIDATION_FAILED', /exactly one/);
  await failure(add({ userId: 999 }), 404, 'NOT_FOUND');
  const past = { userId: userId('bob'), expiresAtUtc: '2020-01-01T00:00:00Z' };
  await failure(add(past), 400, 'VALIDATION_FAILED', /later/);
});

it('are managed by their managers: members and invitations there and below, and nothing else', async () => {
  const top = await unit();
  const [team, other] = [await unit({ parentId: top.id }), await unit()];
  await join(top.id, 'ada', { isManager: true });
  const add = (id: number, name = 'bob') => as('ada', 'POST', `/org-units/${id}/members`, { userId: userId(name) });
  const added = await data(add(team.id));
  await failure(add(other.id), 403, 'FORBIDDEN', /OrgUnitsWrite/);
  await data(as('ada', 'PATCH', `/org-units/${team.id}/members/${added.id}`, { title: 'Deputy' }));
  const admin = await roleId('Admin');
  const rise = as('ada', 'PATCH', `/org-units/${team.id}/members/${added.id}`, { roleId: admin });
  await failure(rise, 403, 'FORBIDDEN', /weight/);
  expect(await data(as('ada', 'GET', `/org-units/${team.id}/invites`))).toEqual([]);
  await failure(as('ada', 'PATCH', `/org-units/${team.id}`, { name: 'Mine' }), 403, 'FORBIDDEN');
  await failure(as('ada', 'PUT', `/org-units/${team.id}/budget`, { period: 'Month', limitUsd: 9 }), 403, 'FORBIDDEN');
  await failure(as('ada', 'PUT', `/org-units/${team.id}/policy`, {}), 403, 'FORBIDDEN');
  await failure(as('bob', 'DELETE', `/org-units/${team.id}/members/${added.id}`), 403, 'FORBIDDEN');
  // A key with scopes has those alone.
  const { identityId } = stand.person('ada');
  const scoped = { name: 'narrow', scopes: ['OrgUnitsRead'] };
  const { rawKey } = await data(as('owner', 'POST', `/identities/${identityId}/api-keys`, scoped));
  const by = { authorization: `Bearer ${rawKey}` };
  const path = `/api/org-units/${team.id}/members/${added.id}`;
  await failure(request(stand.server.url, 'DELETE', path, undefined, by), 403, 'FORBIDDEN');
  await data(as('ada', 'DELETE', `/org-units/${team.id}/members/${added.id}`));
  // Nobody makes accounts that could do more than they may.
  await join(team.id, 'guest', { isManager: true });
  const byGuest = (more: object) =>
    as('guest', 'POST', `/org-units/${team.id}/invites`, { email: 'new@example.com', ...more });
  await failure(byGuest({}), 403, 'FORBIDDEN');
  await data(byGuest({ roleId: await roleId('Viewer') }));
  expect(await data(as('ada', 'GET', `/org-units/${team.id}`))).toMatchObject({ callerRoleName: 'Manager' });
  // Whoever manages a unit above manages this one, though they are something else in it by name.
  await join(team.id, 'ada', { roleId: await roleId('Viewer') });
  expect(await data(as('ada', 'GET', `/org-units/${team.id}`))).toMatchObject({ callerRoleName: 'Manager' });
  const mine = await data(as('ada', 'GET', '/org-units?mine=true&sort=id'));
  expect(mine.items.map(({ id }: { id: number }) => id)).toEqual(expect.arrayContaining([top.id, team.id]));
  const me = await data(as('ada', 'GET', '/auth/me'));
  expect(me.orgUnits).toContainEqual(expect.objectContaining({ orgUnitId: top.id, isManager: true, path: top.key }));
  expect((await data(as('ada', 'GET', '/session'))).orgUnitIds).toContain(top.id);
});

it('list members with those of the units above, by name, role and kind', async () => {
  const top = await unit();
  const team = await unit({ parentId: top.id });
  await join(top.id, 'ada', { title: 'Captain' });
  await join(team.id, 'bob');
  await data(as('admin', 'POST', `/org-units/${team.id}/members`, { identityId: stand.person('agent').identityId }));
  const list = async (query: string) =>
    (await data(as('guest', 'GET', `/org-units/${team.id}/members?${query}`))).items.map(
      (one: { name: string; inheritedFromOrgUnitId: number | null }) => [one.name, one.inheritedFromOrgUnitId],
    );
  expect(await list('')).toEqual([
    ['agent', null],
    ['bob', null],
  ]);
  expect(await list('includeInherited=true&sort=-name')).toEqual([
    ['bob', null],
    ['agent', null],
    ['ada', top.id],
  ]);
  expect(await list('includeInherited=true&q=capt')).toEqual([['ada', top.id]]);
  expect(await list('memberKind=Identity')).toEqual([['agent', null]]);
  expect(await list('pageSize=1&page=2')).toEqual([['bob', null]]);
});

it('take people in by an invitation: those who have an account, and those who have none', async () => {
  const team = await unit({ name: 'Newcomers' });
  const invite = async (email: string, more: object = {}) =>
    data(as('admin', 'POST', `/org-units/${team.id}/invites`, { email, ...more }));
  const mailed = await invite('new@example.com', { sendEmail: true, message: 'See http://evil.example' });
  expect(mailed).toMatchObject({ emailSent: true, invite: { status: 'Pending', email: 'new@example.com' } });
  expect(mailed.acceptUrl).toContain(`/#/signin?invite=${mailed.rawToken}`);
  const mail = (await mailsOf(stand.server.config.dataDir)).find((one) => one.includes('To: new@example.com'));
  expect(mail).toContain(mailed.rawToken);
  expect(mail).not.toContain('http://evil');
  const register = (username: string, inviteToken: string, email = 'new@example.com') =>
    request(stand.server.url, 'POST', '/api/auth/register', {
      username,
      email,
      password: 'four words of mine',
      inviteToken,
    });
  const { body } = await register('newcomer', mailed.rawToken);
  expect(body.data.user).toMatchObject({ username: 'newcomer', role: 'Member', emailConfirmed: true });
  const by = { authorization: `Bearer ${body.data.accessToken}` };
  const me = (await request(stand.server.url, 'GET', '/api/auth/me', undefined, by)).body.data;
  expect(me.orgUnits).toMatchObject([{ orgUnitId: team.id, isManager: false }]);
  await failure(register('late', mailed.rawToken), 400, 'INVALID_TOKEN');
  const other = await unit();
  const second = await data(
    as('admin', 'POST', `/org-units/${other.id}/invites`, { email: 'new@example.com', roleId: await roleId('Viewer') }),
  );
  const accept = (token: string) => request(stand.server.url, 'POST', '/api/org-units/invites/accept', { token }, by);
  expect(await data(accept(second.rawToken))).toMatchObject({ name: 'newcomer', roleName: 'Viewer' });
  await failure(register('thief', second.rawToken), 400, 'INVALID_TOKEN');
  const viewer = await invite('viewer@example.com', { roleId: await roleId('Viewer') });
  const { body: looked } = await register('looker', viewer.rawToken, 'other@example.com');
  expect(looked.data.user).toMatchObject({ role: 'Viewer', emailConfirmed: false });
  const gone = await invite('gone@example.com');
  const path = `/org-units/${team.id}/invites/${gone.invite.id}`;
  await data(as('admin', 'DELETE', path));
  await failure(as('admin', 'DELETE', path), 409, 'INVALID_TRANSITION');
  await failure(accept(gone.rawToken), 400, 'INVALID_TOKEN');
  const listed = await data(as('admin', 'GET', `/org-units/${team.id}/invites`));
  expect(listed.map(({ status }: { status: string }) => status)).toEqual(['Revoked', 'Accepted', 'Accepted']);
  expect(JSON.stringify(listed)).not.toContain('Hash');
});

it('of several who use one invitation at once let one in', async () => {
  const team = await unit();
  const { rawToken } = await data(as('admin', 'POST', `/org-units/${team.id}/invites`, { email: 'x@example.com' }));
  const register = (at: number) =>
    request(stand.server.url, 'POST', '/api/auth/register', {
      ...{ username: `racer-${at}`, email: `racer-${at}@example.com`, password: 'four words of mine' },
      inviteToken: rawToken,
    });
  const statuses = (await Promise.all([1, 2, 3, 4].map(register))).map(({ status }) => status);
  expect(statuses.filter((one) => one === 200)).toHaveLength(1);
  const users = (await data(as('owner', 'GET', '/users?q=racer'))).items;
  expect(users).toHaveLength(1);
  expect((await data(as('guest', 'GET', `/org-units/${team.id}/members`))).totalCount).toBe(1);
});

it('are deleted when they are empty, or hand on what is in them', async () => {
  const [old, next] = [await unit(), await unit()];
  const child = await unit({ parentId: old.id });
  const project = await data(as('admin', 'POST', '/projects', { name: 'Moving', orgUnitId: old.id }));
  await join(old.id, 'ada');
  await join(next.id, 'ada', { title: 'Stays' });
  await join(old.id, 'bob');
  await data(as('admin', 'POST', `/org-units/${old.id}/identities`, { identityId: stand.person('agent').identityId }));
  await failure(as('admin', 'DELETE', `/org-units/${old.id}`), 409, 'IN_USE', /moveToOrgUnitId/);
  await failure(as('admin', 'DELETE', `/org-units/${old.id}`, { moveToOrgUnitId: child.id }), 409, 'CONFLICT');
  await failure(as('admin', 'DELETE', `/org-units/${old.id}`, { moveToOrgUnitId: 999 }), 404, 'NOT_FOUND');
  await data(as('admin', 'DELETE', `/org-units/${old.id}`, { moveToOrgUnitId: next.id }));
  await failure(as('admin', 'GET', `/org-units/${old.id}`), 404, 'NOT_FOUND');
  expect(await data(as('admin', 'GET', `/org-units/${child.id}`))).toMatchObject({ parentId: next.id, depth: 1 });
  expect(await data(as('admin', 'GET', `/projects/${project.id}`))).toMatchObject({ orgUnitId: next.id });
  expect(await data(as('admin', 'GET', `/org-units/${next.id}`))).toMatchObject({ memberCount: 2, identityCount: 1 });
  const { items } = await data(as('admin', 'GET', `/org-units/${next.id}/members`));
  expect(items).toMatchObject([{ name: 'ada', title: 'Stays' }, { name: 'bob' }]);
  const empty = await unit();
  await data(as('admin', 'DELETE', `/org-units/${empty.id}`));
});

it('are reached by broadcasts of those who are in them', async () => {
  const team = await unit();
  await join(team.id, 'ada');
  const send = (who: string, orgUnitId: number) =>
    as(who, 'POST', '/messages/broadcast', { content: 'All hands', orgUnitId });
  const sent = await data(send('admin', team.id));
  expect(sent.recipientIds ?? sent.message?.recipientIds ?? sent).toEqual(expect.anything());
  const inbox = await data(as('ada', 'GET', '/messages/inbox'));
  expect(JSON.stringify(inbox.items)).toContain('All hands');
  expect(JSON.stringify((await data(as('bob', 'GET', '/messages/inbox'))).items)).not.toContain('All hands');
  await failure(send('admin', 999), 404, 'NOT_FOUND');
});

it('tell on a topic of their own what becomes of them, those who may read units alone', async () => {
  const follow = async (who: string, more: object = {}) => {
    const { key } = { ...stand.person(who), ...more };
    const client = createClient({ baseUrl: stand.server.url, token: key });
    return client.stream('org-units', { cursor: '0', signal: AbortSignal.timeout(60_000) });
  };
  const made = await unit();
  await join(made.id, 'ada');
  const gone = await unit();
  await data(as('admin', 'DELETE', `/org-units/${gone.id}`));
  const seen: { id: number; memberCount: number; isActive: boolean }[] = [];
  for await (const { type, data: told } of await follow('guest')) {
    if (type === 'org.unit.updated') seen.push(told as (typeof seen)[number]);
    const { id, isActive } = seen.at(-1) ?? { id: 0, isActive: true };
    if (id === gone.id && !isActive) break;
  }
  expect(seen.filter(({ id }) => id === made.id)).toMatchObject([{ memberCount: 0 }, { memberCount: 1 }]);
  const { rawKey } = await data(
    as('owner', 'POST', `/identities/${stand.person('ada').identityId}/api-keys`, { name: 'n', scopes: ['RunsRead'] }),
  );
  const refused = (async () => {
    for await (const _ of await follow('ada', { key: rawKey })) return;
  })();
  await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

it('keep their workspaces to those who are in them', async () => {
  const team = await unit();
  await join(team.id, 'ada');
  await failure(as('admin', 'POST', '/workspaces', { name: 'x', orgUnitId: 999 }), 404, 'NOT_FOUND');
  const { id } = await data(as('admin', 'POST', '/workspaces', { name: 'Bench', orgUnitId: team.id }));
  const seen = async (who: string) => [
    (await as(who, 'GET', `/workspaces/${id}`)).status,
    (await data(as(who, 'GET', '/workspaces'))).totalCount,
  ];
  expect(await seen('ada')).toEqual([200, 1]);
  expect(await seen('bob')).toEqual([404, 0]);
});
