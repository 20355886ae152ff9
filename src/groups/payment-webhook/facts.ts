// Reads what an event of the payment service says, from objects whose shape is the service's business.
import type { PaymentFacts } from './record.ts';

type Open = Record<string, unknown>;

const asObject = (value: unknown): Open =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Open) : {};
const asText = (value: unknown): string | null =>
  typeof value === 'string' && value.length > 0 && value.length <= 255 ? value : null;
/** An id, or an object that was expanded in its place. */
const idIn = (value: unknown): string | null => asText(value) ?? asText(asObject(value).id);

/** The facts of the event's object: a subscription or an invoice. */
export function factsOf(type: string, data: Open): PaymentFacts {
  const about = asObject(data.object);
  const isSubscription = type.startsWith('customer.subscription.');
  const [item] = Array.isArray(asObject(about.items).data) ? (asObject(about.items).data as unknown[]) : [];
  // Newer versions of Stripe's API name the subscription of an invoice in its parent.
  const parent = asObject(asObject(about.parent).subscription_details).subscription;
  const { amount_paid: paid, currency } = about;
  return {
    objectId: asText(about.id),
    customerId: idIn(about.customer),
    subscriptionId: isSubscription ? asText(about.id) : (idIn(about.subscription) ?? idIn(parent)),
    status: asText(about.status),
    cancelAtPeriodEnd: typeof about.cancel_at_period_end === 'boolean' ? about.cancel_at_period_end : null,
    priceId: idIn(asObject(item).price),
    amountCents: currency === 'usd' && Number.isSafeInteger(paid) ? (paid as number) : null,
    guid: asText(asObject(about.metadata).rivulet),
  };
}
