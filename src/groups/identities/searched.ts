// How the search over everything finds identities.
import type { IdentityDoc } from '../../auth/documents.ts';
import { holding, type SearchLeg } from '../../ports/search.ts';
import type { PerTenant } from '../../ports/tenanted.ts';

export const identitySearch = (identities: PerTenant<IdentityDoc>): SearchLeg => ({
  kind: 'Identity',
  needs: 'IdentitiesRead',
  find: async ({ tenantId }, sought) => {
    const within = { deletedAt: null };
    const places = { identityId: '_id' } as const;
    const how = { fields: ['name', 'displayName'] as const, within, sort: { createdAt: -1 } as const, places };
    return (await holding(identities(tenantId), how, sought)).map((doc) => ({
      id: doc._id,
      guid: doc.guid,
      title: doc.displayName,
      text: [doc.name, doc.bio].filter(Boolean).join('. '),
      url: `/identities/${doc._id}`,
      identityId: doc._id,
      projectId: null,
      tags: doc.tags,
      updatedAt: doc.updatedAt,
    }));
  },
});
