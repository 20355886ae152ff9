// The router of model calls as a part of the server.
import { callSpec } from '../../ports/ai-router.ts';
import type { Db } from '../../ports/db.ts';
import { pruneByDate } from '../../ports/retention.ts';
import { subscriptionRecord } from '../billing/record.ts';
import { part } from '../part.ts';

export const aiRouterPart = part({
  records: [],
  contracts: [],
  serve: () => [],
  retention: ({ db, kept }) => ({
    rules: [{ name: 'model calls', keptMs: kept.callsMs, prune: (before) => pruneBilled(db, before) }],
  }),
  samples: [],
});

/** Calls of a period that is not closed yet stay: its invoice is made of them. */
async function* pruneBilled(db: Db, before: number): AsyncGenerator<number> {
  const open = { status: { $ne: 'Cancelled' } } as const;
  const oldest = await db.collection(subscriptionRecord.spec).findOne(open, { sort: { periodStart: 1 } });
  yield* pruneByDate(db, callSpec, Math.min(before, oldest?.periodStart.getTime() ?? before));
}
