// Events of the payment service as a part of the server; their service stands in the wiring, with that of billing.
import type { Db } from '../../ports/db.ts';
import { deleteInBatches } from '../../ports/retention.ts';
import { part } from '../part.ts';
import { paymentEventSpec } from './record.ts';

/** Milliseconds that events stay: one that comes again within the time is known. */
const keptMs = 90 * 86_400_000;

export const paymentWebhookPart = part({
  records: [{ spec: paymentEventSpec }],
  contracts: [],
  serve: () => [],
  retention: ({ db }) => ({
    rules: [{ name: 'payment events', keptMs, prune: (before) => pruneOldest(db, before) }],
  }),
  samples: [],
});

/** Their ids are not in the order of time. */
async function* pruneOldest(db: Db, before: number): AsyncGenerator<number> {
  yield await deleteInBatches(db.collection(paymentEventSpec), { createdAt: { $lt: new Date(before) } });
}
