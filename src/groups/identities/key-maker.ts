// Makes keys of identities: never worth more than their maker, kept as hashes, shown once.
import type { KeyDoc, UserDoc } from '../../auth/documents.ts';
import { hashSecret, newKey, visibleParts } from '../../auth/keys.ts';
import { narrow } from '../../auth/permissions.ts';
import { type Ranks, requireOwn } from '../../auth/rank.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import { type IdentityApiKeyCreatedResponse, IdentityApiKeyDto } from './dto.ts';

interface Deps {
  keys: Keeper<KeyDoc>;
  ranks: Ranks;
  clock: Clock;
  /** Called when a key may have lost its rights; sockets and caches follow. */
  accessChanged: () => void;
}

type NewKey = Pick<KeyDoc, 'identityId' | 'name' | 'scopes' | 'expiresAt' | 'rotatedFromKeyId'>;

export type KeyMaker = ReturnType<typeof createKeyMaker>;

export function createKeyMaker(deps: Deps) {
  const make = async (caller: Caller, owner: UserDoc, key: NewKey): Promise<IdentityApiKeyCreatedResponse> => {
    await mayGrant(deps.ranks, caller, owner, key.scopes);
    const rawKey = newKey();
    const hash = hashSecret(rawKey);
    const made = await deps.keys.insert(caller, {
      ...key,
      hash,
      ...visibleParts(rawKey),
      source: 'api',
      lastUsedAt: null,
      lastUsedIp: null,
      revokedAt: null,
      createdByUserId: caller.userId,
    });
    if (made.hash === hash) return { key: toKeyDto(made, deps.clock.now()), rawKey };
    // A repeated request found its key there, which nobody was shown: this one takes its place.
    const document = await deps.keys.change(caller, made._id, { hash, ...visibleParts(rawKey) });
    deps.accessChanged();
    return { key: toKeyDto(document, deps.clock.now()), rawKey };
  };

  return {
    /** @throws Fault FORBIDDEN where the key could do more than the caller, or its owner ranks above */
    make,
    mayGrant: (caller: Caller, owner: UserDoc, scopes: KeyDoc['scopes']) => mayGrant(deps.ranks, caller, owner, scopes),
  };
}

/** A key may do no more than its maker. */
async function mayGrant(ranks: Ranks, caller: Caller, owner: UserDoc, scopes: KeyDoc['scopes']): Promise<void> {
  await ranks.require(caller, owner, `User ${owner._id}`);
  if (scopes.includes('UsersWrite') && !caller.managesAccount)
    throw new Fault('FORBIDDEN', 'This key could change the account of its person, which you may not.', {
      hint: 'Leave the scope UsersWrite out.',
    });
  const { permissions } = await ranks.standing(owner);
  requireOwn(caller, narrow(permissions, scopes), 'This key', 'Name scopes that leave out');
}

export function toKeyDto(key: KeyDoc, now: number): IdentityApiKeyDto {
  const over = [key.revokedAt, key.expiresAt].some((date) => date !== null && date.getTime() <= now);
  return shown(IdentityApiKeyDto, key, { isActive: !over });
}
