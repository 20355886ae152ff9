// Begins subscriptions to the default plan of the operator, for tenants that have chosen none.
import type { TenantDoc } from '../../auth/documents.ts';
import type { Collection } from '../../ports/db.ts';
import { pagesOf } from '../../ports/retention.ts';
import type { BillingBook } from './book.ts';
import { insertSubscription, newSubscription } from './subscriptions.ts';

/** Periods of those who chose nothing are calendar months. */
const anchorDay = 1;

/** Does nothing while the operator has no default plan: nothing is billed then. */
export async function beginDefaults(book: BillingBook, tenants: Collection<TenantDoc>): Promise<void> {
  const plan = await book.plans.default();
  if (!plan) return;
  for await (const page of pagesOf(tenants, {})) {
    const ids = page.map(({ _id }) => _id);
    const there = await book.db
      .collection(book.subscriptions.record.spec)
      .find({ tenantId: { $in: ids } })
      .toArray();
    const have = new Set(there.map(({ tenantId }) => tenantId));
    const draft = newSubscription(book.clock.now(), { planId: plan._id, anchorDay, trialEnds: null });
    for (const tenantId of ids) if (!have.has(tenantId)) await insertSubscription(book, { tenantId }, draft);
  }
}
