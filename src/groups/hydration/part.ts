// Hydration as a part of the server.
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../ports/db.ts';
import { part } from '../part.ts';
import { ruleBookOf } from '../standing-rules/part.ts';
import { createHydrationBook } from './book.ts';
import { hydration } from './contract.ts';
import { receiptRecord } from './record.ts';
import { hydrationService } from './service.ts';
import { createShowHydration } from './show.ts';
import { createSessionStart } from './told.ts';

/** How long receipts are kept, and the interval of the look for older ones, in ms. */
const keptMs = 90 * 24 * 60 * 60_000;
const pruneEveryMs = 60 * 60_000;

export const hydrationPart = part({
  records: [receiptRecord],
  ofRuns: [receiptRecord.spec],
  contracts: [hydration],
  serve: (deps) => [
    hydrationService({
      ...deps,
      book: createHydrationBook(deps),
      rules: ruleBookOf(deps),
      show: createShowHydration(deps),
    }),
  ],
  tells: (base) => createSessionStart(base, createHydrationBook(base)),
  rounds: (base) => [{ name: 'old receipts of hydrations', everyMs: pruneEveryMs, work: createPruning(base) }],
  samples: [],
});

function createPruning({ db, clock }: { db: Db; clock: Clock }) {
  const all = db.collection(receiptRecord.spec);
  return async () => {
    await all.deleteMany({ createdAt: { $lt: new Date(clock.now() - keptMs) } });
  };
}
