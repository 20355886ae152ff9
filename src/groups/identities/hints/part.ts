// Hints as a part of the server.
import { authCollections } from '../../../auth/collections.ts';
import { createKeeper } from '../../../ports/keeper.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import { type PartBase, part } from '../../part.ts';
import { createHintBriefs } from './briefs.ts';
import { hintRecord } from './record.ts';
import { createReminders } from './reminders.ts';
import { identityHintsService } from './service.ts';

const hintsOf = ({ db, ids, clock }: PartBase) => createKeeper(hintRecord, { db, ids, clock });

export const hintsPart = part({
  records: [hintRecord],
  // Hints are reached by their identity, of which each walk makes one itself.
  contracts: [],
  serve: (deps) => [identityHintsService({ hints: hintsOf(deps), acting: deps.acting, clock: deps.clock })],
  briefs: ({ db, clock }) =>
    createHintBriefs({
      hints: perTenant(db.collection(hintRecord.spec)),
      identities: perTenant(authCollections(db).identities),
      clock,
    }),
  rounds: ({ db, clock, publisher }) => [
    {
      name: 'hints that are due',
      everyMs: 15_000,
      work: createReminders({
        hints: db.collection(hintRecord.spec),
        identities: authCollections(db).identities,
        publisher,
        clock,
      }),
    },
  ],
  samples: [],
});
