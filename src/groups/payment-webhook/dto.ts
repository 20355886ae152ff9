// The answer to an event of the payment service.
import type { z } from 'zod';
import { boolean, dto, string } from '../../contract/types.ts';

export const PaymentWebhookAckDto = dto('PaymentWebhookAckDto', {
  received: boolean,
  eventId: string,
  eventType: string,
  /** The event was received before. */
  duplicate: boolean,
  /** Whether it changed something here. */
  handled: boolean,
});
export type PaymentWebhookAckDto = z.output<typeof PaymentWebhookAckDto>;
