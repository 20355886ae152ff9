// Roles of one's own: they act at once and everywhere, and nobody gets more by them than who gives them has.
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { startWithPeople } from '../support/people.ts';
import { type Answer, request } from '../support/test-server.ts';
import { openSocket } from '../support/web-socket.ts';

let world: Awaited<ReturnType<typeof startWithPeople>>;
beforeAll(async () => {
  world = await startWithPeople(['Admin', 'Operator', 'Member', 'Viewer'], {
    watcher: 'Viewer',
    clerk: 'Viewer',
    heir: 'Viewer',
  });
});
afterAll(() => world.close());

const person = (name: string) => world.person(name);
const as = (...request: Parameters<typeof world.as>) => world.as(...request);
const data = async (answer: Promise<Answer>) => {
  const { body } = await answer;
  expect(body.error ?? null).toBeNull();
  return body.data;
};
let number = 0;
const makeRole = (permissions: string[], more: object = {}, who = 'owner') =>
  data(as(who, 'POST', '/api/roles', { name: `role ${++number}`, permissions, ...more }));
const give = (who: string, roleIds: number[], by = 'owner') =>
  as(by, 'PATCH', `/api/users/${person(who).userId}`, { roleIds });

describe('a role of one’s own', () => {
  it('lets its users do what it says, from the next request on, and no longer when it is changed or taken', async () => {
    const role = await makeRole(['RunsWrite']);
    const start = () => as('watcher', 'POST', '/api/agent/runs', { goal: 'x' });
    await failure(start(), 403, 'FORBIDDEN');
    await data(give('watcher', [role.id]));
    await data(start());
    expect((await data(as('watcher', 'GET', '/api/auth/me'))).roles.map((one: { name: string }) => one.name)).toEqual([
      'Viewer',
      role.name,
    ]);
    await data(as('owner', 'PUT', `/api/roles/${role.id}/permissions`, { permissions: ['ChatWrite'] }));
    await failure(start(), 403, 'FORBIDDEN');
    await data(as('watcher', 'POST', '/api/chat/sessions', { title: 'x' }));
    expect(await data(as('owner', 'GET', `/api/roles/${role.id}`))).toMatchObject({
      permissions: ['ChatWrite'],
      memberCount: 1,
    });
    await failure(as('owner', 'DELETE', `/api/roles/${role.id}`), 409, 'IN_USE');
    await data(give('watcher', []));
    await failure(as('watcher', 'POST', '/api/chat/sessions', { title: 'x' }), 403, 'FORBIDDEN');
    await data(as('owner', 'DELETE', `/api/roles/${role.id}`));
  });

  it('ends what it had opened on every transport when it loses the permission', async () => {
    const role = await makeRole(['ChannelsRead', 'LogsRead']);
    await data(give('watcher', [role.id]));
    const authorization = `Bearer ${person('watcher').key}`;
    const socket = await openSocket(world.server.url, { authorization });
    expect(await socket.command({ op: 'Subscribe', id: '1', topics: ['logs'] })).toMatchObject({ ok: true });
    const client = io(world.server.url, { auth: { token: person('watcher').key }, reconnection: false });
    expect(await client.emitWithAck('command', { op: 'Subscribe', id: '1', topics: ['logs'] })).toMatchObject({
      ok: true,
    });
    const stream = await fetch(`${world.server.url}/api/events?topics=logs`, {
      headers: { authorization, accept: 'text/event-stream' },
    });
    expect(stream.status).toBe(200);
    const dropped = { op: 'Unsubscribe', ok: false, errorCode: 'FORBIDDEN', topics: ['logs'] };
    const told = new Promise((resolve) => client.on('reply', resolve));
    await data(as('owner', 'PATCH', `/api/roles/${role.id}`, { permissions: ['ChannelsRead'] }));
    expect(await socket.frame(({ op }) => op === 'Unsubscribe')).toMatchObject(dropped);
    expect(await told).toMatchObject(dropped);
    // It ends, so that its client comes back and is told why; how it breaks off is the transport's.
    await stream.text().catch(() => '');
    client.close();
    socket.end();
    await data(give('watcher', []));
  });

  it('narrows a key by its scopes all the same', async () => {
    const role = await makeRole(['RunsWrite', 'ApiKeysManage']);
    await data(give('clerk', [role.id]));
    const keys = `/api/identities/${person('clerk').identityId}/api-keys`;
    const { rawKey } = await data(as('clerk', 'POST', keys, { name: 'narrow', scopes: ['RunsRead'] }));
    await failure(
      request(world.server.url, 'POST', '/api/agent/runs', { goal: 'x' }, { authorization: `Bearer ${rawKey}` }),
      403,
      'FORBIDDEN',
    );
    await data(give('clerk', []));
  });
});

describe('nobody gets more by a role', () => {
  it('than its maker has', async () => {
    await failure(
      as('Admin', 'POST', '/api/roles', { name: 'Too much', permissions: ['PolicyWrite'] }),
      403,
      'FORBIDDEN',
      /more than you may/,
    );
    await failure(as('Admin', 'POST', '/api/roles', { name: 'Too high', weight: 6 }), 403, 'FORBIDDEN', /ranks above/);
    const own = await makeRole(['RunsRead'], {}, 'Admin');
    for (const [method, path, body] of [
      ['PATCH', '', { permissions: ['BillingWrite'] }],
      ['PUT', '', { name: own.name, weight: 0, permissions: ['BillingWrite'] }],
      ['PUT', '/permissions', { permissions: ['BillingWrite'] }],
      ['PATCH', '', { weight: 99 }],
    ] as const)
      await failure(as('Admin', method, `/api/roles/${own.id}${path}`, body), 403, 'FORBIDDEN');
    for (const who of ['Operator', 'Member', 'Viewer'])
      await failure(as(who, 'POST', '/api/roles', { name: 'Mine', permissions: [] }), 403, 'FORBIDDEN');
  });

  it('than who gives it has, and nobody gives one to who ranks above', async () => {
    const strong = await makeRole(['PolicyWrite']);
    const high = await makeRole([], { weight: 6 });
    await failure(give('heir', [strong.id], 'Admin'), 403, 'FORBIDDEN', /more than you may/);
    await failure(give('Admin', [strong.id], 'Admin'), 403, 'FORBIDDEN');
    await failure(give('heir', [high.id], 'Admin'), 403, 'FORBIDDEN', /ranks above/);
    await failure(give('owner', [], 'Admin'), 403, 'FORBIDDEN', /ranks above/);
    await failure(as('Admin', 'PATCH', `/api/users/${person('heir').userId}`, { role: 'Owner' }), 403, 'FORBIDDEN');
    await failure(as('Admin', 'PATCH', `/api/roles/${high.id}`, { description: 'x' }), 403, 'FORBIDDEN', /ranks above/);
    await failure(as('Admin', 'DELETE', `/api/roles/${high.id}`), 403, 'FORBIDDEN', /ranks above/);
    // What it had may stay.
    await data(give('heir', [strong.id]));
    await data(as('Admin', 'PATCH', `/api/users/${person('heir').userId}`, { displayName: 'Heir' }));
    await failure(give('heir', [999_999]), 404, 'NOT_FOUND');
  });

  it('and its weight lifts whom it is given to', async () => {
    const role = await makeRole([], { weight: 5 });
    const bio = (who: string) =>
      as(who, 'PATCH', `/api/identities/${person('heir').identityId}`, { bio: `By ${who}.` });
    await data(bio('Operator'));
    await data(give('heir', [role.id]));
    await failure(bio('Operator'), 403, 'FORBIDDEN', /ranks above/);
    await data(bio('Admin'));
    await data(as('owner', 'PATCH', `/api/roles/${role.id}`, { weight: 1 }));
    await data(bio('Operator'));
  });
});

describe('the roles of the system', () => {
  it('are listed with their users, the strongest first, and stay as they are', async () => {
    const { items } = await data(as('Viewer', 'GET', '/api/roles?isSystem=true'));
    expect(items.map((one: { name: string; weight: number }) => [one.name, one.weight])).toEqual([
      ['Owner', 6],
      ['Admin', 5],
      ['Operator', 4],
      ['Member', 3],
      ['Viewer', 2],
      ['Agent', 1],
    ]);
    expect(items[1]).toMatchObject({ memberCount: 1, permissionCount: expect.any(Number), isSystem: true });
    const [{ id, name }] = items;
    for (const [method, path, body] of [
      ['PATCH', '', { description: 'x' }],
      ['PUT', '', { name, weight: 1, permissions: [] }],
      ['PUT', '/permissions', { permissions: [] }],
      ['DELETE', '', undefined],
    ] as const)
      await failure(as('owner', method, `/api/roles/${id}${path}`, body), 409, 'SYSTEM_PROTECTED');
    await failure(as('owner', 'POST', '/api/roles', { name: 'OWNER' }), 409, 'DUPLICATE');
    await failure(give('heir', [id]), 400, 'VALIDATION_FAILED');
  });

  it('are made of permissions that are explained', async () => {
    const all = await data(as('Viewer', 'GET', '/api/permissions'));
    expect(all).toHaveLength(70);
    expect(await data(as('Viewer', 'GET', '/api/permissions?group=Roles'))).toEqual([
      expect.objectContaining({ name: 'RolesRead', isDangerous: false, implies: [] }),
      expect.objectContaining({ name: 'RolesWrite', isDangerous: true, implies: ['RolesRead'] }),
    ]);
  });

  it('leave a last owner', async () => {
    const path = `/api/users/${person('owner').userId}`;
    await failure(as('owner', 'PATCH', path, { role: 'Admin' }), 409, 'LAST_OWNER');
    await failure(as('owner', 'PATCH', path, { isActive: false }), 409, 'LAST_OWNER');
    expect((await data(as('owner', 'GET', path))).role).toBe('Owner');
  });
});
