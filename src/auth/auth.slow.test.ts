import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminKey, createAuthWorld } from '../../test/support/auth-world.ts';
import { Fault } from '../kernel/fault.ts';
import { accessTokenSeconds } from './jwt.ts';
import { newKey } from './keys.ts';
import { expand, rolePermissions } from './permissions.ts';
import { setUp } from './setup.ts';

let world: Awaited<ReturnType<typeof createAuthWorld>>;
beforeEach(async () => {
  world = await createAuthWorld();
});
afterEach(() => world.close());

const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'no fault',
    (error) => (error instanceof Fault ? error.code : String(error)),
  );
const client = { ip: '127.0.0.1', userAgent: 'test' };

describe('first boot', () => {
  it('makes a tenant, an administrator and a key that works', async () => {
    const { firstBoot, tenantId } = await world.boot({ adminKey: null });
    const caller = await world.authenticator.authenticate(`Bearer ${firstBoot?.adminKey}`, '::1');
    expect(caller).toMatchObject({ tenantId, kind: 'IdentityKey', name: 'Administrator', sessionId: null });
    expect(caller.permissions.has('SystemWrite')).toBe(true);
  });

  it('shows new credentials until they have been seen, then none', async () => {
    const first = await world.boot({ adminKey: null });
    const second = await world.boot({ adminKey: null });
    expect(await codeOf(world.authenticator.fromToken(first.firstBoot?.adminKey ?? '', '::1'))).toBe('UNAUTHENTICATED');
    expect((await world.authenticator.fromToken(second.firstBoot?.adminKey ?? '', '::1')).name).toBe('Administrator');
    await second.complete();
    expect((await world.boot({ adminKey: null })).firstBoot).toBeNull();
    expect(await world.auth.tenants.countDocuments()).toBe(1);
    expect(await world.auth.users.countDocuments()).toBe(1);
  });

  it('accepts RIVULET_ADMIN_KEY while it is set, and only its present value', async () => {
    await world.boot({ adminKey });
    expect((await world.authenticator.fromToken(adminKey, '::1')).name).toBe('Administrator');
    await world.boot({ adminKey: `${adminKey}-2` });
    world.authenticator.forget();
    expect(await codeOf(world.authenticator.fromToken(adminKey, '::1'))).toBe('TOKEN_REVOKED');
    await world.boot({ adminKey });
    world.authenticator.forget();
    expect((await world.authenticator.fromToken(adminKey, '::1')).name).toBe('Administrator');
  });

  it('refuses data that was made with another secret', async () => {
    await world.boot({ adminKey: null });
    const { auth, ids, sessions, clock } = world;
    const other = setUp(
      { auth, ids, sessions, clock, secret: 'another secret, also longer than that' },
      { adminKey: null },
    );
    expect(await codeOf(other)).toBe('CONFLICT');
  });

  it('leaves one administrator when several nodes boot at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => world.boot({ adminKey })));
    expect(await world.auth.tenants.countDocuments()).toBe(1);
    expect(await world.auth.identities.countDocuments()).toBe(1);
  });

  it('shows a key that works on each of several nodes that boot at once, and forgets those of earlier boots', async () => {
    const { auth, ids, sessions, clock } = world;
    const secret = 'a secret of more than thirty-two characters';
    const boot = () => setUp({ auth, ids, sessions, clock, secret, kind: 'MongoDB' }, { adminKey: null });
    const keyOfBoot = async () => (await boot()).firstBoot?.adminKey ?? '';
    const early = await keyOfBoot();
    await clock.advance(120_000);
    const keys = [await keyOfBoot(), await keyOfBoot(), await keyOfBoot()];
    for (const key of keys) expect((await world.authenticator.fromToken(key, '::1')).name).toBe('Administrator');
    expect(await codeOf(world.authenticator.fromToken(early, '::1'))).toBe('UNAUTHENTICATED');
  });
});

describe('authenticator', () => {
  it.each([
    ['no scheme', 'rvt_x'],
    ['an unknown scheme', 'Basic abc'],
    ['an unknown key', `Bearer ${newKey()}`],
    ['rubbish', 'Bearer abc.def.ghi'],
  ])('refuses %s', async (_, header) => {
    await world.boot({ adminKey });
    const attempt = Promise.resolve().then(() => world.authenticator.authenticate(header, '::1'));
    expect(await codeOf(attempt)).toBe('UNAUTHENTICATED');
  });

  it('refuses an expired key and a deleted identity', async () => {
    const { administrator } = await world.boot({ adminKey });
    await world.auth.keys.updateMany({}, { $set: { expiresAt: new Date(world.clock.now() + 1000) } });
    const caller = await world.authenticator.fromToken(adminKey, '::1');
    await world.clock.advance(2000);
    expect(await codeOf(world.authenticator.fromToken(adminKey, '::1'))).toBe('TOKEN_EXPIRED');
    await world.auth.keys.updateMany({}, { $set: { expiresAt: null } });
    await world.auth.identities.updateOne(
      { _id: administrator._id },
      { $set: { deletedAt: new Date(world.clock.now()) } },
    );
    expect(await codeOf(world.authenticator.refresh(caller))).toBe('ACCOUNT_DISABLED');
  });

  it('narrows a key to its scopes and what they imply', async () => {
    await world.boot({ adminKey });
    await world.auth.keys.updateMany({}, { $set: { scopes: ['RunsWrite'] } });
    const caller = await world.authenticator.fromToken(adminKey, '::1');
    expect([...caller.permissions].sort()).toEqual(['RunsRead', 'RunsWrite']);
  });
});

describe('sessions', () => {
  const signIn = async () => {
    const { firstBoot } = await world.boot({ adminKey: null });
    return world.sessions.refresh(firstBoot?.signInToken ?? '', client);
  };

  it('exchanges the sign-in link once for tokens that work for 15 minutes', async () => {
    const issued = await signIn();
    const caller = await world.authenticator.fromToken(issued.accessToken, '::1');
    expect(caller).toMatchObject({ kind: 'User', sessionId: issued.session._id, name: 'Administrator' });
    await world.clock.advance((accessTokenSeconds + 1) * 1000);
    expect(await codeOf(world.authenticator.fromToken(issued.accessToken, '::1'))).toBe('TOKEN_EXPIRED');
  });

  it('notes when a person was seen, once a minute', async () => {
    const { accessToken, session } = await signIn();
    const seenAt = async () => (await world.auth.users.findOne({ _id: session.userId }))?.lastSeenAt?.getTime();
    const begun = world.clock.now();
    for (const [after, expected] of [
      [0, begun],
      [59_000, begun],
      [61_000, begun + 61_000],
    ] as const) {
      await world.clock.advance(begun + after - world.clock.now());
      await world.authenticator.fromToken(accessToken, '::1');
      await expect.poll(seenAt).toBe(expected);
    }
  });

  it('ends the session when a refresh token is used twice', async () => {
    const first = await signIn();
    const second = await world.sessions.refresh(first.refreshToken, client);
    expect(await codeOf(world.sessions.refresh(first.refreshToken, client))).toBe('TOKEN_REVOKED');
    expect(await codeOf(world.sessions.refresh(second.refreshToken, client))).toBe('TOKEN_REVOKED');
    world.authenticator.forget();
    expect(await codeOf(world.authenticator.fromToken(second.accessToken, '::1'))).toBe('TOKEN_REVOKED');
  });

  it('lets one of many simultaneous refreshes through', async () => {
    const { refreshToken } = await signIn();
    const codes = await Promise.all(
      Array.from({ length: 10 }, () => codeOf(world.sessions.refresh(refreshToken, client))),
    );
    expect(codes.filter((code) => code === 'no fault').length).toBeLessThanOrEqual(1);
  });

  it('refuses a refresh token nobody was given', async () => {
    expect(await codeOf(world.sessions.refresh('rft_nonsense', client))).toBe('UNAUTHENTICATED');
  });
});

describe('permissions', () => {
  it('expands what a permission implies', () => {
    expect([...expand(['MessagesBroadcast'])].sort()).toEqual(['MessagesBroadcast', 'MessagesRead', 'MessagesWrite']);
  });

  it('gives each role what it gives the weaker one', () => {
    for (const [weaker, stronger] of [
      ['Member', 'Operator'],
      ['Operator', 'Admin'],
      ['Admin', 'Owner'],
    ] as const) {
      const has = expand(rolePermissions[stronger]);
      expect([...expand(rolePermissions[weaker])].filter((permission) => !has.has(permission))).toEqual([]);
    }
  });
});
