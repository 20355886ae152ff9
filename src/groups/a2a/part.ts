// Tasks of A2A clients as a part of the server; their door is in src/http/a2a, and what opens it in the wiring.
import { pruneByDate } from '../../ports/retention.ts';
import { part } from '../part.ts';
import { createA2aBriefs } from './briefs.ts';
import { a2aDeliverySpec, a2aReceiverSpec, a2aTaskSpec } from './record.ts';

const dayMs = 86_400_000;

export const a2aPart = part({
  records: [{ spec: a2aTaskSpec }, { spec: a2aReceiverSpec }, { spec: a2aDeliverySpec }],
  contracts: [],
  serve: () => [],
  briefs: (base) => createA2aBriefs(base),
  retention: ({ db }) => ({
    rules: [
      {
        name: 'notifications of A2A tasks',
        keptMs: 7 * dayMs,
        prune: (before) => pruneByDate(db, a2aDeliverySpec, before),
      },
    ],
  }),
  ofRuns: [a2aTaskSpec, a2aReceiverSpec, a2aDeliverySpec],
  samples: [],
});
