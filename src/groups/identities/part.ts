// Identities as a part of the server.
import { perTenant } from '../../ports/tenanted.ts';
import { part } from '../part.ts';
import { identitySearch } from './searched.ts';

export const identitiesPart = part({
  // Their collection is one of those that src/auth stands on.
  records: [],
  contracts: [],
  serve: () => [],
  topics: ({ auth }) => {
    const identities = perTenant(auth.identities);
    return {
      identity: async ({ tenantId }, id) => (await identities(tenantId).findOne({ _id: id, deletedAt: null })) !== null,
      // A mailbox is read by its owner only.
      inbox: async ({ identityId }, id) => identityId === id,
    };
  },
  searches: ({ auth }) => [identitySearch(perTenant(auth.identities))],
  samples: [],
});
