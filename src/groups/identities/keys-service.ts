// Keeps the keys of identities: shown once, never worth more than the caller who makes them, revoked at once.

import type { Administrators } from '../../auth/administrators.ts';
import type { IdentityDoc, KeyDoc, UserDoc } from '../../auth/documents.ts';
import type { Ranks } from '../../auth/rank.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { noteWrite } from '../../ports/audit.ts';
import type { Ids } from '../../ports/ids.ts';
import { onceMark } from '../../ports/once.ts';
import { pageOf } from '../../ports/page-of.ts';
import { sortOf } from '../../ports/sort-of.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { identityKeys } from './contract.ts';
import { createKeyMaker, toKeyDto } from './key-maker.ts';

export interface KeysDeps {
  keys: PerTenant<KeyDoc>;
  identities: PerTenant<IdentityDoc>;
  users: PerTenant<UserDoc>;
  administrators: Administrators;
  ranks: Ranks;
  ids: Ids;
  clock: Clock;
  /** Called when a key may have lost its rights; sockets and caches follow. */
  accessChanged: () => void;
}

const minute = 60_000;

export const identityKeysService = implement(identityKeys, (deps: KeysDeps) => {
  const { clock } = deps;
  const keys = createKeyMaker(deps);

  const owner = async (caller: Caller, identityId: number) => {
    const identity = await deps.identities(caller.tenantId).findOne({ _id: identityId, deletedAt: null });
    const user = identity && (await deps.users(caller.tenantId).findOne({ _id: identity.userId }));
    if (!identity || !user)
      throw new Fault('NOT_FOUND', `There is no identity ${identityId}.`, {
        hint: 'List identities with GET /api/identities.',
      });
    return { identity, user };
  };

  const find = async (caller: Caller, identityId: number, keyId: number) => {
    const key = await deps.keys(caller.tenantId).findOne({ _id: keyId, identityId });
    if (!key)
      throw new Fault('NOT_FOUND', `Identity ${identityId} has no key ${keyId}.`, {
        hint: `List its keys with GET /api/identities/${identityId}/api-keys.`,
      });
    return key;
  };

  /** Who is behind a key, also one of a deleted identity. */
  const userOf = async ({ tenantId }: Caller, { identityId }: KeyDoc): Promise<UserDoc | null> => {
    const identity = await deps.identities(tenantId).findOne({ _id: identityId });
    return identity && deps.users(tenantId).findOne({ _id: identity.userId });
  };

  return {
    list: async ({ caller, params, query }) => {
      await owner(caller, params.identityId);
      const filter = { identityId: params.identityId, ...(query.includeRevoked ? {} : { revokedAt: null }) };
      const { items, totalCount } = await pageOf(deps.keys(caller.tenantId), {
        ...query,
        filter,
        sort: sortOf(query.sort ?? '-createdAtUtc'),
      });
      return toPage(
        items.map((key) => toKeyDto(key, clock.now())),
        totalCount,
        query,
      );
    },
    create: async ({ caller, params, body }) => {
      const { user } = await owner(caller, params.identityId);
      const scopes = body.scopes ?? [];
      const expiresAt = toExpiry(caller, body.expiresAtUtc ?? null, clock.now());
      return keys.make(caller, user, {
        identityId: params.identityId,
        name: body.name,
        scopes,
        expiresAt,
        rotatedFromKeyId: null,
      });
    },
    rotate: async ({ caller, params, body }) => {
      const { user } = await owner(caller, params.identityId);
      const old = await find(caller, params.identityId, params.keyId);
      await keys.mayGrant(caller, user, old.scopes);
      if (old.source === 'environment')
        throw new Fault('SYSTEM_PROTECTED', 'This key is set by RIVULET_ADMIN_KEY.', {
          hint: 'Change the setting and restart the server.',
        });
      const until = new Date(clock.now() + (body?.overlapMinutes ?? 0) * minute);
      const mark = onceMark();
      const revoked = await deps.keys(caller.tenantId).updateOne(
        // A repeated request has revoked it before.
        { _id: old._id, ...(mark === null ? { revokedAt: null } : { $or: [{ revokedAt: null }, { rotation: mark }] }) },
        { $set: { revokedAt: until, ...(mark === null ? {} : { rotation: mark }) } },
      );
      if (revoked.matchedCount === 0)
        throw new Fault('CONFLICT', 'This key was revoked or rotated before.', { hint: 'Make a new key instead.' });
      noteWrite(caller, { kind: 'key', how: 'changed', doc: { ...old, revokedAt: until }, before: old });
      const expiresAt = toExpiry(caller, body?.expiresAtUtc ?? old.expiresAt?.toISOString() ?? null, clock.now());
      const created = await keys.make(caller, user, {
        identityId: old.identityId,
        name: old.name,
        scopes: old.scopes,
        expiresAt,
        rotatedFromKeyId: old._id,
      });
      deps.accessChanged();
      return created;
    },
    remove: async ({ caller, params }) => {
      const key = await find(caller, params.identityId, params.keyId);
      if (key.source === 'environment')
        throw new Fault('SYSTEM_PROTECTED', 'This key is set by RIVULET_ADMIN_KEY.', {
          hint: 'Unset it and restart the server.',
        });
      const user = await userOf(caller, key);
      if (user) await deps.ranks.require(caller, user, `User ${user._id}`);
      const now = new Date(clock.now());
      const stillValid = { $or: [{ revokedAt: null }, { revokedAt: { $gt: now } }] };
      const write = () =>
        deps.keys(caller.tenantId).updateOne({ _id: key._id, ...stillValid }, { $set: { revokedAt: now } });
      const undo = () => deps.keys(caller.tenantId).updateOne({ _id: key._id }, { $set: { revokedAt: key.revokedAt } });
      if (user?.role === 'Owner' && key.revokedAt === null)
        await deps.administrators.guard(caller.tenantId, { keyId: key._id }, { write, undo });
      else await write();
      noteWrite(caller, { kind: 'key', how: 'changed', doc: { ...key, revokedAt: now }, before: key });
      deps.accessChanged();
      return null;
    },
  };
});

/** A key that is made with one that ends, ends no later. */
function toExpiry({ lendsUntil }: Caller, value: string | null, now: number): Date | null {
  if (value === null) return lendsUntil === null ? null : new Date(lendsUntil);
  const date = new Date(value);
  if (lendsUntil !== null && date.getTime() > lendsUntil)
    throw new Fault('FORBIDDEN', 'This key would outlive the one that you call with.', {
      hint: `Give an expiresAtUtc up to ${new Date(lendsUntil).toISOString()}.`,
    });
  if (date.getTime() <= now)
    throw new Fault('VALIDATION_FAILED', 'expiresAtUtc lies in the past.', { hint: 'Give a later time, or none.' });
  return date;
}
