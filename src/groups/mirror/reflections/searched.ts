// How the search over everything finds reflections.
import type { Acting } from '../../../auth/acting.ts';
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Finder } from '../../../memory/finder.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import type { SearchLeg } from '../../../ports/search.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import { type ReflectionDoc, reflectionScope } from './record.ts';

interface Deps {
  reflections: Keeper<ReflectionDoc>;
  finder: Finder<ReflectionDoc>;
  identities: PerTenant<IdentityDoc>;
  acting: Acting;
}

export const reflectionSearch = ({ reflections, finder, identities, acting }: Deps): SearchLeg => ({
  kind: 'Reflection',
  needs: 'MirrorRead',
  find: async (caller, { question, mode, limit, projectId, identityId }) => {
    if (projectId !== null) return [];
    const which = { deletedAt: null, ...(identityId === null ? {} : { _id: identityId }) };
    const own = await acting.among(caller, await identities(caller.tenantId).find(which).toArray());
    const ids = own.map(({ _id }) => _id);
    if (ids.length === 0) return [];
    const found = await finder.search({
      ...{ tenantId: caller.tenantId, scopes: ids.map(reflectionScope), question, mode, limit },
      load: (wanted) =>
        reflections
          .of(caller.tenantId)
          .find({ _id: { $in: [...wanted] }, identityId: { $in: ids } })
          .toArray(),
    });
    return found.map(({ doc, nearness }) => ({
      ...{ id: doc._id, guid: doc.guid, identityId: doc.identityId, projectId: null, tags: doc.tags, nearness },
      title: doc.triggerContext,
      text: doc.narrative ?? doc.honestResponse,
      url: `/mirror?identity=${doc.identityId}&reflection=${doc._id}`,
      updatedAt: doc.createdAt,
    }));
  },
});
