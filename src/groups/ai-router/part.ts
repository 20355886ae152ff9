// The router of model calls as a part of the server.
import { callSpec } from '../../ports/ai-router.ts';
import { pruneByDate } from '../../ports/retention.ts';
import { part } from '../part.ts';

export const aiRouterPart = part({
  records: [],
  contracts: [],
  serve: () => [],
  retention: ({ db, kept }) => ({
    rules: [{ name: 'model calls', keptMs: kept.callsMs, prune: (before) => pruneByDate(db, callSpec, before) }],
  }),
  samples: [],
});
