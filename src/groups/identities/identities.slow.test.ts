import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminKey, createAuthWorld } from '../../../test/support/auth-world.ts';
import { keyRecord } from '../../auth/collections.ts';
import type { IdentityDoc, KeyDoc, UserDoc } from '../../auth/documents.ts';
import type { Caller } from '../../contract/caller.ts';
import { Fault } from '../../kernel/fault.ts';
import { createKeeper } from '../../ports/keeper.ts';
import type { Publication } from '../../ports/stream.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { request } from '../agent/testing/world.ts';
import { identityKeysService } from './keys-service.ts';
import { createPeople } from './people.ts';
import { createPresenceStates, presenceSpec } from './presence-states.ts';
import { identitiesService } from './service.ts';

let world: Awaited<ReturnType<typeof createAuthWorld>>;
let caller: Caller;
let published: Publication[];
let accessChanges: number;

function services() {
  const { auth, ids, clock, db } = world;
  const publisher = { publish: async (event: Publication) => void published.push(event) };
  const identities = perTenant(auth.identities);
  const deps = {
    ...world,
    identities,
    presence: createPresenceStates({ db, identities, publisher, clock }),
    users: perTenant(auth.users),
    keys: createKeeper(keyRecord, world),
    ids,
    clock,
    publisher,
    administrators: world.administrators,
    ranks: world.ranks,
    accessChanged: () => {
      accessChanges++;
      world.authenticator.forget();
    },
  };
  const people = createPeople(deps);
  return { identities: identitiesService({ ...deps, people }).handlers, keys: identityKeysService(deps).handlers };
}

beforeEach(async () => {
  world = await createAuthWorld([presenceSpec]);
  await world.boot({ adminKey });
  caller = await world.authenticator.fromToken(adminKey, '::1');
  published = [];
  accessChanges = 0;
});
afterEach(() => world.close());

const codeOf = async (work: () => unknown) => {
  try {
    await work();
    return 'no fault';
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
};
const base = { query: undefined, request };
const paging = { page: 1, pageSize: 50 };
const create = (name: string) => services().identities.create({ ...base, params: {}, caller, body: { name } });

describe('presence that is said', () => {
  const say = (id: number, body: Record<string, unknown>) =>
    services().identities.setPresence({ ...base, params: { id }, caller, body: body as never });

  it('is the state of the identity, told with its text', async () => {
    const { id } = await create('Scout');
    const body = { presenceState: 'DeepWork', statusText: 'reads the log' };
    expect(await say(id, body)).toMatchObject({ id, presenceState: 'DeepWork' });
    expect(published.at(-1)).toMatchObject({
      type: 'presence.changed',
      topics: ['identities', `identity:${id}`],
      data: { identityId: id, presenceState: 'DeepWork', statusText: 'reads the log' },
    });
  });

  it('is of an identity that is there, and for a time to come', async () => {
    const { id } = await create('Scout');
    expect(await codeOf(() => say(999, { presenceState: 'Aware' }))).toBe('NOT_FOUND');
    const untilUtc = new Date(world.clock.now()).toISOString();
    expect(await codeOf(() => say(id, { presenceState: 'Aware', untilUtc }))).toBe('VALIDATION_FAILED');
    expect(await world.db.collection(presenceSpec).countDocuments()).toBe(0);
  });
});

describe('identities', () => {
  it('creates an identity with a user behind it and announces it', async () => {
    const identity = await create('Scout');
    expect(identity).toMatchObject({ name: 'Scout', displayName: 'Scout', type: 'AI', isActive: true });
    expect(await world.auth.users.findOne({ _id: identity.userId as number })).toMatchObject({
      role: 'Agent',
      type: 'Agent',
    });
    expect(published.map((event) => event.type)).toEqual(['identity.updated']);
  });

  it('refuses a second one of that name, in any case, and leaves no user behind', async () => {
    await create('Scout');
    const users = await world.auth.users.countDocuments();
    expect(await codeOf(() => create('SCOUT'))).toBe('DUPLICATE');
    expect(await world.auth.users.countDocuments()).toBe(users);
  });

  it('filters and pages', async () => {
    for (const name of ['Ann', 'Anna', 'Bob']) await create(name);
    const { identities } = services();
    const found = await identities.list({
      ...base,
      params: {},
      body: undefined,
      caller,
      query: { ...paging, q: 'ann', sort: '-name' },
    });
    expect(found.items.map((identity) => identity.name)).toEqual(['Anna', 'Ann']);
    const second = await identities.list({
      ...base,
      params: {},
      body: undefined,
      caller,
      query: { page: 2, pageSize: 3 },
    });
    expect(second).toMatchObject({ totalCount: 4, totalPages: 2, hasNextPage: false, hasPreviousPage: true });
  });

  it('frees the name of a deleted identity and stops its keys', async () => {
    const { identities, keys } = services();
    const { id } = await create('Scout');
    const { rawKey } = await keys.create({ ...base, params: { identityId: id }, caller, body: { name: 'k' } });
    expect((await world.authenticator.fromToken(rawKey, '::1')).identityId).toBe(id);
    await identities.remove({ ...base, params: { id }, body: undefined, caller });
    expect(await codeOf(() => world.authenticator.fromToken(rawKey, '::1'))).toBe('ACCOUNT_DISABLED');
    expect(await codeOf(() => identities.get({ ...base, params: { id }, body: undefined, caller }))).toBe('NOT_FOUND');
    expect((await create('Scout')).id).not.toBe(id);
  });

  it('shows nothing of another tenant', async () => {
    const { id } = await create('Scout');
    const stranger = { ...caller, tenantId: caller.tenantId + 1 };
    const { identities } = services();
    expect(await codeOf(() => identities.get({ ...base, params: { id }, body: undefined, caller: stranger }))).toBe(
      'NOT_FOUND',
    );
    expect(await codeOf(() => identities.remove({ ...base, params: { id }, body: undefined, caller: stranger }))).toBe(
      'NOT_FOUND',
    );
    const list = await identities.list({ ...base, params: {}, body: undefined, caller: stranger, query: paging });
    expect(list.totalCount).toBe(0);
  });
});

describe('keys', () => {
  const target = () => ({ identityId: caller.identityId as number });

  it('never grants more than its maker has', async () => {
    const { keys } = services();
    const weak = { ...caller, permissions: new Set(['ApiKeysManage', 'IdentitiesRead', 'RunsRead'] as const) };
    const make = (scopes: ('RunsRead' | 'RunsWrite')[] | null) => () =>
      keys.create({ ...base, params: target(), caller: weak, body: { name: 'k', scopes } });
    expect(await codeOf(make(null))).toBe('FORBIDDEN');
    expect(await codeOf(make(['RunsWrite']))).toBe('FORBIDDEN');
    expect(await codeOf(make(['RunsRead']))).toBe('no fault');
  });

  it('rotates with an overlap, once', async () => {
    const { keys } = services();
    const { key, rawKey } = await keys.create({ ...base, params: target(), caller, body: { name: 'k' } });
    const rotate = () =>
      keys.rotate({ ...base, params: { ...target(), keyId: key.id }, caller, body: { overlapMinutes: 5 } });
    const rotated = await rotate();
    expect(rotated.key.rotatedFromKeyId).toBe(key.id);
    expect((await world.authenticator.fromToken(rawKey, '::1')).keyId).toBe(key.id);
    await world.clock.advance(5 * 60_000 + 1);
    expect(await codeOf(() => world.authenticator.fromToken(rawKey, '::1'))).toBe('TOKEN_REVOKED');
    expect((await world.authenticator.fromToken(rotated.rawKey, '::1')).keyId).toBe(rotated.key.id);
    expect(await codeOf(rotate)).toBe('CONFLICT');
  });

  it('revokes at once, keeps no raw key, and protects the key of the environment', async () => {
    const { keys } = services();
    const { key, rawKey } = await keys.create({ ...base, params: target(), caller, body: { name: 'k' } });
    await world.authenticator.fromToken(rawKey, '::1');
    await keys.remove({ ...base, params: { ...target(), keyId: key.id }, body: undefined, caller });
    expect(accessChanges).toBe(1);
    expect(await codeOf(() => world.authenticator.fromToken(rawKey, '::1'))).toBe('TOKEN_REVOKED');
    expect(JSON.stringify(await world.auth.keys.find().toArray())).not.toContain(rawKey);
    const own = await world.auth.keys.findOne({ source: 'environment' });
    const remove = () =>
      keys.remove({ ...base, params: { ...target(), keyId: own?._id as number }, body: undefined, caller });
    expect(await codeOf(remove)).toBe('SYSTEM_PROTECTED');
  });

  it('lists live keys, and revoked ones when asked', async () => {
    const { keys } = services();
    const { key } = await keys.create({ ...base, params: target(), caller, body: { name: 'k' } });
    await keys.remove({ ...base, params: { ...target(), keyId: key.id }, body: undefined, caller });
    const list = (includeRevoked: boolean) =>
      keys.list({ ...base, params: target(), body: undefined, caller, query: { ...paging, includeRevoked } });
    expect((await list(false)).items.map((item) => item.name)).toEqual(['RIVULET_ADMIN_KEY']);
    expect((await list(true)).totalCount).toBe(2);
  });
});

describe('the last owner', () => {
  it('stays when two owners disable each other at the same time', async () => {
    const { auth } = world;
    const first = (await auth.identities.findOne({ _id: caller.identityId ?? 0 })) as IdentityDoc;
    const user = (await auth.users.findOne({ _id: first.userId })) as UserDoc;
    const key = (await auth.keys.findOne({ identityId: first._id })) as KeyDoc;
    await auth.users.insertOne({ ...user, _id: 900, guid: 'g', username: 'second' });
    await auth.identities.insertOne({ ...first, _id: 900, guid: 'g', userId: 900, nameKey: 'second', name: 'Second' });
    await auth.keys.insertOne({ ...key, _id: 900, guid: 'g', identityId: 900, hash: 'second' });
    const second: Caller = { ...caller, userId: 900, identityId: 900, keyId: 900 };
    const disable = (by: Caller, id: number) =>
      codeOf(() => services().identities.patch({ ...base, caller: by, params: { id }, body: { isActive: false } }));
    const codes = await Promise.all([disable(caller, 900), disable(second, first._id)]);
    expect(codes).toContain('LAST_OWNER');
    expect(await auth.identities.countDocuments({ isActive: true })).toBeGreaterThan(0);
    // One of them may go, then no other.
    await auth.identities.updateMany({}, { $set: { isActive: true } });
    expect([await disable(caller, 900), await disable(second, first._id)]).toEqual(['no fault', 'LAST_OWNER']);
  });

  it('keeps a key to get in with', async () => {
    const [only] = await world.auth.keys.find({}).toArray();
    await world.auth.keys.updateOne({ _id: only?._id ?? 0 }, { $set: { source: 'setup' } });
    const remove = () =>
      codeOf(() =>
        services().keys.remove({
          ...base,
          caller,
          params: { identityId: caller.identityId ?? 0, keyId: only?._id ?? 0 },
          body: undefined,
        }),
      );
    expect(await remove()).toBe('LAST_OWNER');
    await world.auth.users.updateMany({}, { $set: { passwordHash: 'x' } });
    expect(await remove()).toBe('no fault');
  });
});
