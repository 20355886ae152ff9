// Relationships as a part of the server: what they are kept in, and how they fade.
import { pruneByDate } from '../../ports/retention.ts';
import { part } from '../part.ts';
import { createFading } from './fading.ts';
import { interactionRecord, relationshipRecord } from './record.ts';

export const relationshipsPart = part({
  records: [relationshipRecord, interactionRecord],
  // Served beside the engine, which tells them of messages.
  contracts: [],
  serve: () => [],
  rounds: ({ db, clock }) => [
    {
      name: 'relationships that fade',
      everyMs: 600_000,
      work: createFading({ relationships: db.collection(relationshipRecord.spec), clock }),
    },
  ],
  retention: ({ db, kept }) => ({
    rules: [
      {
        name: 'history of relationships',
        keptMs: kept.activityMs,
        prune: (before) => pruneByDate(db, interactionRecord.spec, before),
      },
    ],
  }),
  samples: [],
});
