// How the search over everything finds memories: those of identities that the caller may act as, and what others share.
import type { Acting } from '../../auth/acting.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Finder } from '../../memory/finder.ts';
import { readableScopes } from '../../memory/scopes.ts';
import { isAsked, type SearchLeg } from '../../ports/search.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { MemoryAccess } from './access.ts';
import type { MemoryDoc } from './record.ts';

interface Deps {
  finder: Finder<MemoryDoc>;
  access: Pick<MemoryAccess, 'readable'>;
  identities: PerTenant<IdentityDoc>;
  acting: Acting;
}

/** Identities whose memories are looked through, the caller's own first. */
const mostIdentities = 200;

export const memorySearch = (deps: Deps): SearchLeg => ({
  kind: 'Memory',
  needs: 'MemoriesRead',
  find: async (caller, sought) => {
    const { question, mode, limit } = sought;
    const ids = await ownOf(deps, caller);
    const ask = { shared: true, archived: false };
    const scopes = [...new Set([0, ...ids].flatMap((id) => readableScopes(id, ask)))];
    // Each document says who may read it, whatever an index proposes.
    const load = async (found: readonly number[]) =>
      (await deps.access.readable(caller, found)).filter((one) => one.archivedAt === null && isAsked(sought, one));
    const { tenantId } = caller;
    return (await deps.finder.search({ tenantId, scopes, question, mode, limit, load })).map(({ doc, nearness }) => ({
      id: doc._id,
      guid: doc.guid,
      title: doc.title,
      text: doc.content,
      url: `/memory?identity=${doc.identityId}&memory=${doc._id}`,
      identityId: doc.identityId,
      projectId: doc.projectId,
      tags: doc.tags,
      updatedAt: doc.updatedAt,
      nearness,
    }));
  },
});

async function ownOf({ identities, acting }: Deps, caller: Caller): Promise<number[]> {
  const all = await identities(caller.tenantId)
    .find({ deletedAt: null }, { sort: { createdAt: -1 }, limit: 5 * mostIdentities })
    .toArray();
  const own = (await acting.among(caller, all)).map(({ _id }) => _id);
  const first = caller.identityId === null ? [] : [caller.identityId];
  return [...new Set([...first, ...own])].slice(0, mostIdentities);
}
