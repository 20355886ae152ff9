// Who sees the mirror of an identity: those who may act as it; for everybody else what is in it is not there.
import type { Acting } from '../../auth/acting.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import { ownIdentity } from '../../auth/named-identity.ts';
import type { Caller } from '../../contract/caller.ts';
import { type Keeper, notThere } from '../../ports/keeper.ts';
import type { KeptDoc } from '../../ports/record.ts';
import type { PerTenant } from '../../ports/tenanted.ts';

/** What is kept of one identity. */
export interface OfIdentity extends KeptDoc {
  identityId: number;
}

interface Deps {
  acting: Acting;
  identities: PerTenant<IdentityDoc>;
}

export function createOwned({ acting, identities }: Deps) {
  return {
    /** The identity whose mirror is asked for. @throws Fault NOT_FOUND, OWNERSHIP_REQUIRED */
    identity: (caller: Caller, identityId: number) => ownIdentity({ identities, acting }, caller, identityId),
    /** One of what is kept. @throws Fault NOT_FOUND, also for what belongs to identities of others */
    async one<Doc extends OfIdentity>(keeper: Keeper<Doc>, caller: Caller, id: number): Promise<Doc> {
      const doc = await keeper.find(caller, id);
      if (doc && (await acting.may(caller, doc.identityId))) return doc;
      throw notThere(keeper.record, id);
    },
    /** Documents, of those given, that the caller may know of. */
    async among<Doc extends OfIdentity>(caller: Caller, docs: readonly Doc[]): Promise<Doc[]> {
      const open = new Map<number, boolean>();
      for (const { identityId } of docs)
        if (!open.has(identityId)) open.set(identityId, await acting.may(caller, identityId));
      return docs.filter(({ identityId }) => open.get(identityId));
    },
  };
}
export type Owned = ReturnType<typeof createOwned>;
