// The book of billing: keepers of plans, subscriptions and invoices, and who is told of their changes.
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { createKeeper } from '../../ports/keeper.ts';
import type { Publisher } from '../../ports/stream.ts';
import type { Meters } from './meters.ts';
import { builtInPlan, createPlans } from './plans.ts';
import { invoiceRecord, periodSpec, planRecord, type SubscriptionDoc, subscriptionRecord } from './record.ts';
import { planIdAt, toSubscriptionDto } from './subscribed.ts';
import { toInvoiceDto } from './to-dto.ts';

export interface BookDeps {
  db: Db;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
  meters: Meters;
  /** The tenant that plans belong to. */
  operatorTenantId: number;
  /** Whether a payment service says who has paid. */
  hasPaymentService: boolean;
}

export type BillingBook = ReturnType<typeof createBillingBook>;

export function createBillingBook(deps: BookDeps) {
  const { db, ids, clock, publisher } = deps;
  const plans = createPlans({ db });
  const topics = ['billing'];
  /** A subscription as it is answered and published; that of a tenant which has chosen nothing where it is null. */
  const showSubscription = async (doc: SubscriptionDoc | null, tenantId: number) => {
    const now = clock.now();
    const plan = doc ? await plans.get(planIdAt(doc, now)) : ((await plans.default()) ?? builtInPlan);
    return toSubscriptionDto(doc, plan, { now, managesPlans: tenantId === deps.operatorTenantId });
  };
  return {
    ...deps,
    plans,
    planKeeper: createKeeper(planRecord, { db, ids, clock }),
    periods: db.collection(periodSpec),
    subscriptions: createKeeper(subscriptionRecord, {
      ...{ db, ids, clock },
      told: async ({ doc }) => {
        const data = await showSubscription(doc, doc.tenantId);
        await publisher.publish({ tenantId: doc.tenantId, topics, type: 'subscription.updated', data });
      },
    }),
    showSubscription,
    invoices: createKeeper(invoiceRecord, {
      ...{ db, ids, clock },
      told: ({ doc }) =>
        publisher.publish({ tenantId: doc.tenantId, topics, type: 'invoice.updated', data: toInvoiceDto(doc) }),
    }),
    /** The subscription of a tenant; null where nobody has chosen a plan. */
    subscriptionOf: (tenantId: number) => db.collection(subscriptionRecord.spec).findOne({ tenantId }),
  };
}
