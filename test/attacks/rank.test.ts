// Nobody writes on somebody who ranks above, and the last owner can always get in.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { seedStore, startWithPeople } from '../support/people.ts';
import { adminKey, request, startTestServer } from '../support/test-server.ts';

let world: Awaited<ReturnType<typeof startWithPeople>>;
beforeAll(async () => {
  world = await startWithPeople(['Admin', 'Operator', 'Member', 'Agent'], { peer: 'Member' });
});
afterAll(() => world.close());

const person = (name: string) => world.person(name);
const as = (...request: Parameters<typeof world.as>) => world.as(...request);
const identity = (who: string) => `/api/identities/${person(who).identityId}`;
const whole = { name: 'Taken', displayName: 'Taken', type: 'Human', isActive: false };

describe('nobody touches somebody who ranks above', () => {
  it.each([
    ['Member', 'owner'],
    ['Member', 'Operator'],
    ['Operator', 'Admin'],
    ['Admin', 'owner'],
  ])('%s writes on no identity of %s', async (who, above) => {
    const writes: [string, string, unknown][] = [
      ['DELETE', '', undefined],
      ['PATCH', '', { isActive: false }],
      ['PATCH', '', { displayName: 'Mine' }],
      ['PUT', '', whole],
      ['PUT', '/presence', { presenceState: 'Dormant' }],
    ];
    for (const [method, path, body] of writes)
      await failure(as(who, method, identity(above) + path, body), 403, 'FORBIDDEN', /ranks above/);
    expect((await as(above, 'GET', '/api/auth/me')).status).toBe(200);
  });

  it.each([
    ['Operator', 'owner'],
    ['Operator', 'Admin'],
    ['Admin', 'owner'],
  ])('%s makes, rotates and revokes no key of %s', async (who, above) => {
    const keys = `${identity(above)}/api-keys`;
    await failure(as(who, 'POST', keys, { name: 'x', scopes: ['RunsRead'] }), 403, 'FORBIDDEN', /ranks above/);
    const { id } = (await as('owner', 'POST', keys, { name: 'x', scopes: ['RunsRead'] })).body.data.key;
    await failure(as(who, 'POST', `${keys}/${id}/rotate`, {}), 403, 'FORBIDDEN', /ranks above/);
    await failure(as(who, 'DELETE', `${keys}/${id}`), 403, 'FORBIDDEN', /ranks above/);
    expect((await as('owner', 'DELETE', `${keys}/${id}`)).status).toBe(200);
  });

  it('a Member makes identities for nobody else', async () => {
    for (const other of ['owner', 'Admin', 'peer', 'Agent'])
      await failure(
        as('Member', 'POST', '/api/identities', { name: `For ${other}`, userId: person(other).userId }),
        403,
        'FORBIDDEN',
      );
    const own = await as('Member', 'POST', '/api/identities', { name: 'Second self', userId: person('Member').userId });
    expect(own.status).toBe(200);
    expect((await as('Member', 'DELETE', `/api/identities/${own.body.data.id}`)).status).toBe(200);
  });

  it('those below may be written on', async () => {
    expect((await as('Admin', 'PATCH', identity('Member'), { bio: 'Seen.' })).status).toBe(200);
    expect((await as('Member', 'PATCH', identity('Agent'), { bio: 'Seen.' })).status).toBe(200);
  });
});

describe('the last owner', () => {
  it.each([
    ['PATCH', { isActive: false }],
    ['PATCH', { expiresAtUtc: '2100-01-01T00:00:00.000Z' }],
    ['PUT', whole],
  ])('cannot be disabled by %s %j', async (method, body) => {
    await failure(as('owner', method, identity('owner'), body), 409, 'LAST_OWNER');
    expect((await as('owner', 'GET', '/api/auth/me')).body.data.identity).toMatchObject({
      isActive: true,
      expiresAtUtc: null,
    });
  });

  it('cannot be deleted through a second identity of the same person', async () => {
    const second = await as('owner', 'POST', '/api/identities', { name: 'Second', userId: person('owner').userId });
    const path = `/api/identities/${second.body.data.id}`;
    const key = (await as('owner', 'POST', `${path}/api-keys`, { name: 'k', expiresAtUtc: '2100-01-01T00:00:00Z' }))
      .body.data.rawKey;
    const by = (method: string, target: string) =>
      request(world.server.url, method, target, undefined, { authorization: `Bearer ${key}` });
    // A key that will expire is no way in for good.
    await failure(by('DELETE', identity('owner')), 409, 'LAST_OWNER');
    expect((await as('owner', 'DELETE', path)).status).toBe(200);
  });
});

describe('RIVULET_ADMIN_KEY', () => {
  it.each(['disabled', 'demoted', 'expired', 'deleted'])(
    'opens after a restart, though its administrator was %s',
    async (how) => {
      const own = await mkdtemp(join(tmpdir(), 'rivulet-locked-out-'));
      await seedStore(own, async ({ tenant, storage: { auth } }) => {
        const { userId, identityId, tenantId } = await tenant('default', adminKey);
        const now = new Date();
        if (how === 'disabled') await auth.users.updateOne({ _id: userId }, { $set: { isActive: false } });
        if (how === 'demoted') await auth.users.updateOne({ _id: userId }, { $set: { role: 'Viewer' } });
        const gone = how === 'deleted' ? { isActive: false, deletedAt: now, nameKey: 'administrator gone' } : {};
        const $set = how === 'expired' ? { expiresAt: now } : { isActive: false, ...gone };
        await auth.identities.updateOne({ _id: identityId }, { $set });
        await auth.keys.updateMany({ tenantId }, { $set: { revokedAt: now, expiresAt: now, scopes: ['RunsRead'] } });
      });
      const revived = await startTestServer({ RIVULET_DATA: own });
      const me = await revived.call('GET', '/api/auth/me');
      expect(me.body.data).toMatchObject({ user: { role: 'Owner', isActive: true }, identity: { isActive: true } });
      expect(me.body.data.permissions).toContain('SystemWrite');
      await revived.close();
      await rm(own, { recursive: true, force: true });
    },
  );
});
