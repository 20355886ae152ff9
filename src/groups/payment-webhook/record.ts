// Events of the payment service as they are kept: what they say of subscriptions and invoices, and nothing of people.
import { defineCollection } from '../../ports/db.ts';

/** What an event is about. */
export interface PaymentFacts {
  /** Id of the object that the event shows: of a subscription, or of an invoice. */
  objectId: string | null;
  customerId: string | null;
  subscriptionId: string | null;
  /** Status of a subscription, in the words of the service. */
  status: string | null;
  cancelAtPeriodEnd: boolean | null;
  /** Price that a subscription is for. */
  priceId: string | null;
  /** Paid, in hundredths of a dollar; null in other currencies. */
  amountCents: number | null;
  /** `metadata.rivulet` of the object: the guid of a subscription or an invoice here. */
  guid: string | null;
}

export interface PaymentEventDoc extends PaymentFacts {
  /** As the service gave it, so that an event is kept once. */
  _id: string;
  type: string;
  /** By the clock of the service, in whole seconds. */
  created: Date;
  /** Null until it is known whom the event is about. */
  tenantId: number | null;
  /** Nobody has worked it out yet. */
  isWaiting: boolean;
  handled: boolean;
  createdAt: Date;
}

export const paymentEventSpec = defineCollection<PaymentEventDoc>({
  name: 'payment_events',
  indexes: [
    { keys: { createdAt: 1 } },
    { keys: { objectId: 1, created: -1 } },
    { keys: { isWaiting: 1, createdAt: 1 }, name: 'waiting', partialFilterExpression: { isWaiting: true } },
  ],
});
