// Interests as a part of the server.
import { perTenant } from '../../ports/tenanted.ts';
import { part } from '../part.ts';
import { createInterests } from './book.ts';
import { interests } from './contract.ts';
import { interestRecord } from './record.ts';
import { interestsService } from './service.ts';

export const interestsPart = part({
  records: [interestRecord],
  contracts: [interests],
  serve: (deps) => [
    interestsService({ book: createInterests(deps), acting: deps.acting, identities: perTenant(deps.auth.identities) }),
  ],
  samples: [],
});
