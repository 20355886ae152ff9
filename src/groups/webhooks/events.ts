// What webhooks tell.
import { type EventTable, event } from '../../contract/event.ts';
import { WebhookDeliveryDto } from './dto.ts';

export const webhookEvents = {
  'webhook.delivery': event.kept(
    WebhookDeliveryDto,
    ['webhooks'],
    'A delivery was made, will be tried again, or ended.',
  ),
} satisfies EventTable;
