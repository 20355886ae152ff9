// Events of a payment service, signed as Stripe signs them.
import { group, op } from '../../contract/operation.ts';
import { boolean, int64, jsonObject, openFields, string } from '../../contract/types.ts';
import { PaymentWebhookAckDto } from './dto.ts';

export const PaymentEvent = openFields({
  id: string.min(1).max(255),
  type: string.min(1).max(255),
  /** Seconds since 1970 UTC. */
  created: int64,
  data: jsonObject,
  livemode: boolean.optional(),
});

export const paymentWebhook = group(
  'PaymentWebhook',
  { base: '/api/payment-webhook', doc: 'Events of a payment service, signed as Stripe signs them.' },
  {
    receive: op.post('', {
      doc: 'Take a signed event of the payment service: it moves subscriptions and invoices, once. Types that mean nothing here are acknowledged.',
      needs: 'public',
      takesBytes: true,
      // Nobody of ours calls; the event itself is kept.
      audit: false,
      idempotent: false,
      maxBodyBytes: 512 * 1024,
      body: PaymentEvent,
      data: PaymentWebhookAckDto,
    }),
  },
);
