// Interests as a part of the server.
import { perTenant } from '../../ports/tenanted.ts';
import { part } from '../part.ts';
import { createInterests } from './book.ts';
import { interests } from './contract.ts';
import { interestRecord } from './record.ts';
import { interestsService } from './service.ts';

/** Interests that a run is told of, and how strong they must be. */
const [shownInterests, leastWeight] = [8, 0.3];

export const interestsPart = part({
  records: [interestRecord],
  contracts: [interests],
  serve: (deps) => [
    interestsService({ book: createInterests(deps), acting: deps.acting, identities: perTenant(deps.auth.identities) }),
  ],
  briefs: (base) => {
    const book = createInterests(base);
    return async ({ tenantId, identityId }) => {
      const all = (await book.of(tenantId, identityId)).filter(({ weight }) => weight >= leastWeight);
      if (all.length === 0) return null;
      return `What you care about: ${all
        .slice(0, shownInterests)
        .map(({ topic }) => topic)
        .join(', ')}.`;
    };
  },
  samples: [],
});
