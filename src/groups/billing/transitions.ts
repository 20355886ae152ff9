// The lives of subscriptions and invoices as pure data: what leads from which status to which.
import type { InvoiceStatus, SubscriptionStatus } from '../../contract/enums.ts';
import { Fault } from '../../kernel/fault.ts';

/** What happens to a subscription. */
export type Happening =
  | 'chosen'
  | 'trialEnded'
  | 'overdue'
  | 'paymentFailed'
  | 'paid'
  | 'graceEnded'
  | 'periodEnded'
  | 'deleted';

const lives: Record<SubscriptionStatus, Partial<Record<Happening, SubscriptionStatus>>> = {
  Trialing: { chosen: 'Active', trialEnded: 'Active', periodEnded: 'Cancelled', deleted: 'Cancelled' },
  Active: { overdue: 'PastDue', paymentFailed: 'PastDue', periodEnded: 'Cancelled', deleted: 'Cancelled' },
  PastDue: { paid: 'Active', graceEnded: 'Suspended', periodEnded: 'Cancelled', deleted: 'Cancelled' },
  Suspended: { paid: 'Active', chosen: 'Active', periodEnded: 'Cancelled', deleted: 'Cancelled' },
  Cancelled: { chosen: 'Active' },
};

/** The status after something has happened; the same where it changes nothing. `periodEnded` is one with cancelAtPeriodEnd. */
export const statusAfter = (status: SubscriptionStatus, happening: Happening): SubscriptionStatus =>
  lives[status][happening] ?? status;

const invoices: Record<InvoiceStatus, readonly InvoiceStatus[]> = {
  Draft: ['Open', 'Void'],
  Open: ['Paid', 'Void', 'Uncollectible'],
  Paid: [],
  Void: [],
  Uncollectible: ['Paid'],
};

export const mayBecome = (from: InvoiceStatus, to: InvoiceStatus): boolean => invoices[from].includes(to);

/** @throws Fault INVALID_TRANSITION with the statuses that may follow */
export function requireInvoiceMove(from: InvoiceStatus, to: InvoiceStatus): void {
  if (mayBecome(from, to)) return;
  const next = invoices[from];
  throw new Fault('INVALID_TRANSITION', `An invoice that is ${from} cannot become ${to}.`, {
    hint: next.length > 0 ? `It can become ${next.join(', ')}.` : `${from} is final.`,
  });
}
