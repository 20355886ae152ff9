// Closes the periods of subscriptions, each once, bills them, and moves subscriptions with the time that passes.
import { Fault } from '../../kernel/fault.ts';
import type { BillingBook } from './book.ts';
import { closePeriod, closingDelayMs } from './closed-periods.ts';
import { buildInvoice, contentOf, plainTerms } from './invoices.ts';
import { day, periodFrom } from './periods.ts';
import type { PeriodDoc, SubscriptionDoc } from './record.ts';
import { fieldsOf, firstPeriod, isLast } from './subscribed.ts';
import { statusAfter } from './transitions.ts';

/** Days that a subscription is past due before it is suspended. */
export const graceDays = 7;
const batch = 100;

/**
 * Closes the oldest period that is not closed, bills it, and goes on to the next one. The order makes a crash harmless:
 * what is done is found done, and the period moves on last. Returns the subscription as it is then.
 */
async function closeOne(book: BillingBook, doc: SubscriptionDoc): Promise<SubscriptionDoc> {
  const { tenantId } = doc;
  const period = firstPeriod(doc);
  const plan = await book.plans.get(doc.planId);
  const closed = await closePeriod(book, tenantId, period, { plan, isFree: doc.isTrial, now: book.clock.now() });
  await bill(book, closed);
  const next = fieldsOf(periodFrom(period.end, doc.billingAnchorDay));
  return book.subscriptions.change(
    { tenantId },
    doc._id,
    (old) => {
      // Another node was faster.
      if (old.periodStart.getTime() !== period.start) return {};
      const plan = { planId: old.nextPlanId ?? old.planId, nextPlanId: null };
      if (!isLast(old)) return { ...next, ...plan, isTrial: false };
      // Nothing follows: an empty period stands at the end.
      const status = statusAfter(old.status, 'periodEnded');
      return { ...fieldsOf({ start: period.end, end: period.end, full: day }), isTrial: false, status };
    },
    { expecting: ['periodStart', 'status', 'cancelAtPeriodEnd', 'planId', 'nextPlanId'] },
  );
}

/** A period that costs nothing has no invoice by itself. */
async function bill(book: BillingBook, closed: PeriodDoc): Promise<void> {
  if (contentOf(closed, plainTerms).subtotalMicro === 0) return;
  try {
    await buildInvoice(book, { tenantId: closed.tenantId }, closed, { ...plainTerms, finalize: true });
  } catch (error) {
    // Billed before a crash, by another node, or by hand.
    if (!(error instanceof Fault) || error.code !== 'CONFLICT') throw error;
  }
}

const isEmpty = ({ periodStart, periodEnd }: SubscriptionDoc) => periodStart.getTime() === periodEnd.getTime();

/** Closes all periods that ended before a time, one after the other: months may have passed. */
export async function closeAll(book: BillingBook, doc: SubscriptionDoc, before: number): Promise<void> {
  let now = doc;
  while (!isEmpty(now) && now.periodEnd.getTime() <= before) now = await closeOne(book, now);
}

/** Documents that a filter finds, some at a time: what is done with them may have them found no more. */
async function* each(book: BillingBook, filter: object): AsyncGenerator<SubscriptionDoc> {
  const all = book.db.collection(book.subscriptions.record.spec);
  for (let after = 0; ; ) {
    const some = await all.find({ ...filter, _id: { $gt: after } }, { sort: { _id: 1 }, limit: batch }).toArray();
    yield* some;
    if (some.length < batch) return;
    after = some.at(-1)?._id ?? after;
  }
}

/** One look at all subscriptions; nodes may do it at the same time. */
export async function look(book: BillingBook, moves: Moves, signal?: AbortSignal): Promise<void> {
  const now = book.clock.now();
  for await (const doc of each(book, { periodEnd: { $lte: new Date(now - closingDelayMs) } })) {
    if (signal?.aborted) return;
    await closeAll(book, doc, now - closingDelayMs);
  }
  // A last period ends on time, whenever it is closed.
  for await (const doc of each(book, { cancelAtPeriodEnd: true, periodEnd: { $lte: new Date(now) } }))
    if (doc.status !== 'Cancelled') await moves.happened(doc, 'periodEnded');
  for await (const doc of each(book, { status: 'Trialing', trialEndsAt: { $lte: new Date(now) } }))
    await moves.happened(doc, 'trialEnded');
  for await (const doc of each(book, { status: 'Active' }))
    if (await moves.hasOverdue(doc.tenantId)) await moves.happened(doc, 'overdue');
  // A server may have died between the payment and what follows from it.
  for await (const doc of each(book, { status: { $in: ['PastDue', 'Suspended'] } }))
    if (!(await moves.hasOverdue(doc.tenantId)) && (await wasPaid(book, doc))) await moves.happened(doc, 'paid');
  const graceBefore = new Date(now - graceDays * day);
  for await (const doc of each(book, { status: 'PastDue', pastDueAt: { $lte: graceBefore } }))
    await moves.happened(doc, 'graceEnded');
}

/** Whether an invoice was paid since the subscription is past due. */
async function wasPaid({ invoices }: BillingBook, { tenantId, pastDueAt }: SubscriptionDoc): Promise<boolean> {
  const since = { status: 'Paid' as const, updatedAt: { $gte: pastDueAt ?? new Date(0) } };
  return (await invoices.of(tenantId).findOne(since)) !== null;
}

export interface Moves {
  happened(
    doc: SubscriptionDoc,
    happening: 'periodEnded' | 'trialEnded' | 'overdue' | 'paid' | 'graceEnded',
  ): Promise<unknown>;
  hasOverdue(tenantId: number): Promise<boolean>;
}
