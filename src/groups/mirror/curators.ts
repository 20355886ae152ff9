// Who curates: people with a session or a key of their own, or agents.
import { authCollections } from '../../auth/collections.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Db } from '../../ports/db.ts';
import { perTenant } from '../../ports/tenanted.ts';

export function createCurators({ db }: { db: Db }) {
  const identities = perTenant(authCollections(db).identities);
  /** Whether a person asks and no agent. A person's identity may have keys too. */
  const isPerson = async ({ kind, tenantId, identityId }: Caller): Promise<boolean> => {
    if (kind === 'User' || kind === 'UserKey') return true;
    if (kind !== 'IdentityKey' || identityId === null) return false;
    return (await identities(tenantId).findOne({ _id: identityId }))?.type === 'Human';
  };
  return {
    isPerson,
    /** Who curates, as pairs say it. */
    of: async (caller: Caller) => ({
      curatorType: (await isPerson(caller)) ? ('Human' as const) : ('Agent' as const),
      curatorName: caller.name,
    }),
  };
}
export type Curators = ReturnType<typeof createCurators>;
export type Curator = Awaited<ReturnType<Curators['of']>>;
