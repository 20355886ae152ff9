// Works out events of the payment service: each moves a subscription or an invoice, once, and an older one nothing.
import type { BillingBook } from '../billing/book.ts';
import { moveInvoice } from '../billing/invoices.ts';
import { dayEnd } from '../billing/periods.ts';
import { type InvoiceDoc, planRecord, type SubscriptionDoc } from '../billing/record.ts';
import { happened, planned, settled } from '../billing/subscriptions.ts';
import { mayBecome } from '../billing/transitions.ts';
import type { PaymentEventDoc } from './record.ts';

/** What became of an event. */
interface Outcome {
  handled: boolean;
  tenantId: number | null;
}
const nothing: Outcome = { handled: false, tenantId: null };

/** Safe to repeat: after a crash it is done again. */
export async function apply(book: BillingBook, event: PaymentEventDoc): Promise<Outcome> {
  switch (event.type) {
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
      return subscriptionTold(book, event);
    case 'invoice.paid':
    case 'invoice.payment_succeeded':
      return invoicePaid(book, event);
    case 'invoice.payment_failed':
      return paymentFailed(book, event);
    case 'invoice.voided':
    case 'invoice.marked_uncollectible':
      return invoiceEnded(book, event);
    default:
      return nothing;
  }
}

/** The subscription that an event is about, by what it names, the surest first. */
async function subscriptionOf(book: BillingBook, event: PaymentEventDoc): Promise<SubscriptionDoc | null> {
  const all = book.db.collection(book.subscriptions.record.spec);
  const { subscriptionId, customerId, guid } = event;
  const bySubscription = subscriptionId ? await all.findOne({ externalSubscriptionId: subscriptionId }) : null;
  const byCustomer = bySubscription ?? (customerId ? await all.findOne({ externalCustomerId: customerId }) : null);
  return byCustomer ?? (guid ? await all.findOne({ guid }) : null);
}

async function subscriptionTold(book: BillingBook, event: PaymentEventDoc): Promise<Outcome> {
  const doc = await subscriptionOf(book, event);
  if (!doc) return nothing;
  const { tenantId } = doc;
  if (isOlder(doc, event) || isOther(doc, event)) return { handled: false, tenantId };
  if (event.type === 'customer.subscription.deleted') {
    const end = Math.min(doc.periodEnd.getTime(), dayEnd(book.clock.now() + 1));
    await happened(book, doc, 'deleted', { ...linksOf(doc, event), periodEnd: new Date(end) });
    return { handled: true, tenantId };
  }
  await book.subscriptions.change({ tenantId }, doc._id, {
    ...linksOf(doc, event),
    ...(event.cancelAtPeriodEnd !== null && { cancelAtPeriodEnd: event.cancelAtPeriodEnd }),
    ...(await planTold(book, doc, event)),
  });
  if (event.status === 'past_due' || event.status === 'unpaid') await happened(book, doc, 'paymentFailed');
  return { handled: true, tenantId };
}

const isOlder = ({ externalEventAt }: SubscriptionDoc, { created }: PaymentEventDoc): boolean =>
  externalEventAt !== null && created < externalEventAt;

/** What is told of an earlier subscription of the customer changes nothing; a new one takes its place. */
const isOther = ({ externalSubscriptionId }: SubscriptionDoc, { type, subscriptionId }: PaymentEventDoc): boolean =>
  externalSubscriptionId !== null && externalSubscriptionId !== subscriptionId && !type.endsWith('.created');

/** Ids of the service. */
function linksOf(doc: SubscriptionDoc, { customerId, subscriptionId, created }: PaymentEventDoc) {
  return {
    externalEventAt: created,
    ...(doc.externalCustomerId === null && customerId !== null && { externalCustomerId: customerId }),
    ...(subscriptionId !== null && { externalSubscriptionId: subscriptionId }),
  };
}

/** The plan that the price of the service belongs to. */
async function planTold(book: BillingBook, doc: SubscriptionDoc, { priceId }: PaymentEventDoc) {
  if (priceId === null) return {};
  const plan = await book.db.collection(planRecord.spec).findOne({ externalPriceId: priceId, isActive: true });
  if (!plan) return {};
  const present = await book.plans.get(doc.planId);
  return planned(doc, plan, { isCheaper: plan.monthlyPriceUsd < present.monthlyPriceUsd, now: book.clock.now() });
}

/** The invoice that an event is about: by its id there or here, else the oldest open one of this amount. */
async function invoiceOf(
  book: BillingBook,
  event: PaymentEventDoc,
  subscription: SubscriptionDoc | null,
): Promise<InvoiceDoc | null> {
  const all = book.db.collection(book.invoices.record.spec);
  const { objectId, guid, amountCents } = event;
  const named = objectId ? await all.findOne({ externalReference: objectId }) : null;
  const ours = named ?? (guid ? await all.findOne({ guid }) : null);
  if (ours || !subscription || amountCents === null || amountCents === 0) return ours;
  const open = await all
    .find({ tenantId: subscription.tenantId, status: 'Open', externalReference: null }, { sort: { periodStart: 1 } })
    .toArray();
  // The service charges whole cents.
  return open.find(({ totalMicro }) => Math.round(totalMicro / 10_000) === amountCents) ?? null;
}

async function invoicePaid(book: BillingBook, event: PaymentEventDoc): Promise<Outcome> {
  const subscription = await subscriptionOf(book, event);
  const invoice = await invoiceOf(book, event, subscription);
  const tenantId = invoice?.tenantId ?? subscription?.tenantId ?? null;
  if (tenantId === null) return nothing;
  if (invoice && mayBecome(invoice.status, 'Paid'))
    await moveInvoice(book, { tenantId }, invoice._id, {
      status: 'Paid',
      paidAt: event.created,
      ...(invoice.externalReference === null && { externalReference: event.objectId }),
    });
  await settled(book, tenantId, latest(event.created, subscription?.lastPaymentAt ?? null));
  return { handled: true, tenantId };
}

const latest = (a: Date, b: Date | null): Date => (b !== null && b > a ? b : a);

/** A failure that was told late, after the payment, changes nothing. */
async function paymentFailed(book: BillingBook, event: PaymentEventDoc): Promise<Outcome> {
  const subscription = await subscriptionOf(book, event);
  const invoice = await invoiceOf(book, { ...event, amountCents: null }, subscription);
  const tenantId = invoice?.tenantId ?? subscription?.tenantId ?? null;
  if (tenantId === null) return nothing;
  const doc = subscription ?? (await book.subscriptionOf(tenantId));
  const isPaid = invoice?.status === 'Paid' || (doc?.lastPaymentAt != null && event.created <= doc.lastPaymentAt);
  if (!doc || isPaid) return { handled: false, tenantId };
  await happened(book, doc, 'paymentFailed');
  return { handled: true, tenantId };
}

async function invoiceEnded(book: BillingBook, event: PaymentEventDoc): Promise<Outcome> {
  const invoice = await invoiceOf(book, { ...event, amountCents: null }, null);
  if (!invoice) return nothing;
  const { tenantId } = invoice;
  const status = event.type === 'invoice.voided' ? 'Void' : 'Uncollectible';
  if (!mayBecome(invoice.status, status)) return { handled: false, tenantId };
  await moveInvoice(book, { tenantId }, invoice._id, { status });
  if (status === 'Void') await settled(book, tenantId, null);
  return { handled: true, tenantId };
}
