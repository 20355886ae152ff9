// The API key of a user: one at a time, shown once, and worth no more than who makes it.

import { randomUUID } from 'node:crypto';
import type { Administrators } from '../../auth/administrators.ts';
import type { AuthCollections } from '../../auth/collections.ts';
import type { KeyDoc, UserDoc } from '../../auth/documents.ts';
import { hashSecret, newKey, visibleParts } from '../../auth/keys.ts';
import { isLive } from '../../auth/live.ts';
import type { Ranks } from '../../auth/rank.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Handlers } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { noteWrite } from '../../ports/audit.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { users } from './contract.ts';
import { requireAccount } from './registry.ts';

export interface UserKeysDeps {
  collections: AuthCollections;
  users: Keeper<UserDoc>;
  ranks: Ranks;
  administrators: Administrators;
  ids: Ids;
  clock: Clock;
  accessChanged: () => void;
}

export function userKeyHandlers(deps: UserKeysDeps): Pick<Handlers<typeof users>, 'createKey' | 'removeKey'> {
  const { collections: auth, ids, clock, accessChanged } = deps;

  return {
    createKey: async ({ caller, params, body }) => {
      const user = await deps.users.get(caller, params.id);
      await requireAccount(deps.ranks, caller, user);
      const identity = await firstIdentity(auth, clock.now(), user);
      const expiresAt = toExpiry(caller, body?.expiresAtUtc ?? null, clock.now());
      const rawKey = newKey();
      const key: KeyDoc = {
        _id: await ids.next('api_keys'),
        guid: randomUUID(),
        tenantId: user.tenantId,
        identityId: identity._id,
        name: 'User key',
        hash: hashSecret(rawKey),
        ...visibleParts(rawKey),
        scopes: [],
        ofUser: true,
        source: 'api',
        expiresAt,
        lastUsedAt: null,
        lastUsedIp: null,
        rotatedFromKeyId: null,
        revokedAt: null,
        createdByUserId: caller.userId,
        createdAt: new Date(clock.now()),
      };
      await auth.keys.updateMany(
        { ...(await keysOf(auth, user)), _id: { $ne: key._id } },
        { $set: { revokedAt: key.createdAt } },
      );
      await auth.keys.insertOne(key);
      // A repeated request found its key there, which nobody was shown: this one takes its place.
      const { hash, prefix, last4 } = { hash: hashSecret(rawKey), ...visibleParts(rawKey) };
      if (key.hash !== hash) await auth.keys.updateOne({ _id: key._id }, { $set: { hash, prefix, last4 } });
      noteWrite(caller, { kind: 'key', how: 'created', doc: key, before: null });
      accessChanged();
      return {
        userId: user._id,
        prefix,
        rawKey,
        createdAtUtc: key.createdAt.toISOString(),
        expiresAtUtc: expiresAt?.toISOString() ?? null,
      };
    },
    removeKey: async ({ caller, params }) => {
      const user = await deps.users.get(caller, params.id);
      await deps.ranks.require(caller, user, `User ${user._id}`);
      const key = await auth.keys.findOne(await keysOf(auth, user));
      if (!key)
        throw new Fault('NOT_FOUND', `User ${user._id} has no key.`, {
          hint: `Make one with POST /api/users/${user._id}/apikey.`,
        });
      const one = { _id: key._id };
      const now = new Date(clock.now());
      const write = () => auth.keys.updateOne(one, { $set: { revokedAt: now } });
      const undo = () => auth.keys.updateOne(one, { $set: { revokedAt: null } });
      if (user.role === 'Owner') await deps.administrators.guard(user.tenantId, { keyId: key._id }, { write, undo });
      else await write();
      noteWrite(caller, { kind: 'key', how: 'changed', doc: { ...key, revokedAt: now }, before: key });
      accessChanged();
      return null;
    },
  };
}

/** A key that is made with one that ends, ends no later. */
function toExpiry({ lendsUntil }: Caller, value: string | null, now: number): Date | null {
  const latest = lendsUntil === null ? null : new Date(lendsUntil);
  if (value === null) return latest;
  const date = new Date(value);
  if (date.getTime() <= now)
    throw new Fault('VALIDATION_FAILED', 'expiresAtUtc lies in the past.', { hint: 'Give a later time, or none.' });
  if (latest !== null && date > latest)
    throw new Fault('FORBIDDEN', 'This key would outlive the one that you call with.', {
      hint: `Give an expiresAtUtc up to ${latest.toISOString()}.`,
    });
  return date;
}

/** The key of a user, among those of its identities. */
async function keysOf(auth: AuthCollections, { tenantId, _id: userId }: UserDoc) {
  const own = await auth.identities.find({ tenantId, userId }).toArray();
  const identityId = { $in: own.map(({ _id }) => _id) };
  return { tenantId, identityId, ofUser: true, revokedAt: null };
}

async function firstIdentity(auth: AuthCollections, now: number, { tenantId, _id: userId }: UserDoc) {
  const own = await auth.identities.find({ tenantId, userId, deletedAt: null }, { sort: { _id: 1 } }).toArray();
  const live = own.find((one) => isLive(one, now));
  if (live) return live;
  throw new Fault('CONFLICT', `User ${userId} has no identity to act as.`, {
    hint: `Make one with POST /api/identities {"userId": ${userId}, …}.`,
  });
}
