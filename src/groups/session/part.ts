// Hand-offs as a part of the server: what they are kept in, and what runs are told of them.
import { authCollections } from '../../auth/collections.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { part } from '../part.ts';
import { createHandoffBriefs } from './briefs.ts';
import { handoffRecord } from './record.ts';

export const sessionPart = part({
  records: [handoffRecord],
  // Served beside the inbox and the engine, whose counts it shows.
  contracts: [],
  serve: () => [],
  briefs: ({ db, clock }) =>
    createHandoffBriefs({
      handoffs: perTenant(db.collection(handoffRecord.spec)),
      identities: perTenant(authCollections(db).identities),
      clock,
    }),
  samples: [],
});
