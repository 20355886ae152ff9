// Serves the keys of identities: shown once, never worth more than the caller who makes them, revoked at once.
import type { Administrators } from '../../auth/administrators.ts';
import type { IdentityDoc, KeyDoc, UserDoc } from '../../auth/documents.ts';
import { noIdentity } from '../../auth/named-identity.ts';
import type { Ranks } from '../../auth/rank.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { onceMark } from '../../ports/once.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { identityKeys } from './contract.ts';
import { createKeyMaker, toKeyDto } from './key-maker.ts';

export interface KeysDeps {
  keys: Keeper<KeyDoc>;
  identities: PerTenant<IdentityDoc>;
  users: PerTenant<UserDoc>;
  administrators: Administrators;
  ranks: Ranks;
  clock: Clock;
  /** Called when a key may have lost its rights; sockets and caches follow. */
  accessChanged: () => void;
}

const minute = 60_000;

export const identityKeysService = implement(identityKeys, (deps: KeysDeps) => {
  const { clock } = deps;
  const keys = createKeyMaker(deps);
  const { revoke, replaced } = createEnds(deps);

  const owner = async (caller: Caller, identityId: number) => {
    const identity = await deps.identities(caller.tenantId).findOne({ _id: identityId, deletedAt: null });
    const user = identity && (await deps.users(caller.tenantId).findOne({ _id: identity.userId }));
    if (!identity || !user) throw noIdentity(identityId);
    return { identity, user };
  };

  /** A key of that identity as a write sees it; those of the environment are the setting's. */
  const find = async (caller: Caller, { identityId, keyId }: { identityId: number; keyId: number }, hint: string) => {
    const key = await deps.keys.get(caller, keyId, { identityId });
    if (key.source !== 'environment') return key;
    throw new Fault('SYSTEM_PROTECTED', 'This key is set by RIVULET_ADMIN_KEY.', { hint });
  };

  /** Who is behind a key, also one of a deleted identity. */
  const userOf = async ({ tenantId }: Caller, { identityId }: KeyDoc): Promise<UserDoc | null> => {
    const identity = await deps.identities(tenantId).findOne({ _id: identityId });
    return identity && deps.users(tenantId).findOne({ _id: identity.userId });
  };

  return {
    list: async ({ caller, params: { identityId }, query: { includeRevoked, ...query } }) => {
      await owner(caller, identityId);
      const within = { identityId, ...(includeRevoked ? {} : { revokedAt: null }) };
      const { items, totalCount } = await deps.keys.page(caller, query, { within });
      const shown = items.map((key) => toKeyDto(key, clock.now()));
      return toPage(shown, totalCount, query);
    },
    create: async ({ caller, params, body }) => {
      const { user } = await owner(caller, params.identityId);
      const expiresAt = toExpiry(caller, body.expiresAtUtc ?? null, clock.now());
      const draft = { identityId: params.identityId, name: body.name, scopes: body.scopes ?? [], expiresAt };
      return keys.make(caller, user, { ...draft, rotatedFromKeyId: null });
    },
    rotate: async ({ caller, params, body }) => {
      const { user } = await owner(caller, params.identityId);
      const old = await find(caller, params, 'Change the setting and restart the server.');
      await keys.mayGrant(caller, user, old.scopes);
      await replaced(caller, old, new Date(clock.now() + (body?.overlapMinutes ?? 0) * minute));
      const { identityId, name, scopes } = old;
      const expiresAt = toExpiry(caller, body?.expiresAtUtc ?? old.expiresAt?.toISOString() ?? null, clock.now());
      const draft = { identityId, name, scopes, expiresAt, rotatedFromKeyId: old._id };
      const created = await keys.make(caller, user, draft);
      deps.accessChanged();
      return created;
    },
    remove: async ({ caller, params }) => {
      const key = await find(caller, params, 'Unset it and restart the server.');
      const user = await userOf(caller, key);
      if (user) await deps.ranks.require(caller, user, `User ${user._id}`);
      await revoke(caller, key, user);
      deps.accessChanged();
      return null;
    },
  };
});

/** How a key ends: revoked, or replaced by another. */
function createEnds({ keys, administrators, clock }: KeysDeps) {
  /** Revokes what is still valid, unless no owner could get in any more. */
  const revoke = async (caller: Caller, key: KeyDoc, user: UserDoc | null): Promise<void> => {
    const now = new Date(clock.now());
    const isValid = ({ revokedAt }: KeyDoc) => revokedAt === null || revokedAt > now;
    const change = (old: KeyDoc) => (isValid(old) ? { revokedAt: now } : {});
    const write = () => keys.change(caller, key._id, change, { expecting: ['revokedAt'] });
    const undo = () => keys.change(caller, key._id, { revokedAt: key.revokedAt });
    if (user?.role === 'Owner' && key.revokedAt === null)
      await administrators.guard(caller.tenantId, { keyId: key._id }, { write, undo });
    else await write();
  };

  /** Has a key end for the one that takes its place; a repeated request has done so before. */
  const replaced = async (caller: Caller, { _id }: KeyDoc, until: Date): Promise<void> => {
    const mark = onceMark();
    const change = ({ revokedAt, rotation }: KeyDoc) => {
      if (revokedAt !== null && (mark === null || rotation !== mark))
        throw new Fault('CONFLICT', 'This key was revoked or rotated before.', { hint: 'Make a new key instead.' });
      return { revokedAt: until, ...(mark === null ? {} : { rotation: mark }) };
    };
    await keys.change(caller, _id, change, { expecting: ['revokedAt'] });
  };

  return { revoke, replaced };
}

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
