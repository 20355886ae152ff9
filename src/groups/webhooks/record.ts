// Webhooks and their deliveries as they are kept; a delivery that has not ended is its own place in the outbox.
import { record, type Stored } from '../../ports/record.ts';
import type { WebhookDeliveryDto, WebhookDto } from './dto.ts';

export interface Secret {
  sealed: string;
  /** Null for the one in use; what it replaced signs until then. */
  until: Date | null;
}

export interface WebhookDoc extends Stored<WebhookDto> {
  /** The newest first. */
  secrets: Secret[];
  /** Values of its headers, sealed; null where it has none. */
  sealedHeaders: string | null;
  /** Who made it: what they may not see is not sent. */
  createdByUserId: number | null;
  createdByIdentityId: number | null;
}

export const webhookRecord = record<WebhookDoc>('webhooks', {
  noun: 'webhook',
  list: 'GET /api/webhooks',
  order: 'name',
  staysSmall: true,
  inProject: true,
  search: ['name', 'url', 'description'],
  indexes: [
    { keys: { tenantId: 1, name: 1 } },
    { keys: { tenantId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, enabled: 1, name: 1 } },
    { keys: { tenantId: 1, projectId: 1 } },
  ],
});

export interface DeliveryDoc extends Stored<WebhookDeliveryDto> {
  projectId: number | null;
  /** Unique in the webhook: the message id, of what is sent again after it was delivered with a number of its own. */
  key: string;
  /** The event's topics: who may not follow them does not get it. Null for what somebody sent by hand. */
  topics: string[] | null;
  /** The node that is sending it, and until when the others leave it alone. */
  sender: string | null;
  /** When somebody has to look at it: its next attempt, or the end of its sender's lease; null when it has ended. */
  due: Date | null;
  endedAt: Date | null;
  /** The routines that led to its event, oldest first: what is told of it does not wake them. */
  lineage?: number[];
  /** Requests that had it sent again. */
  marks?: string[];
}

export const deliveryRecord = record<DeliveryDoc>('webhook_deliveries', {
  noun: 'delivery',
  list: 'GET /api/webhooks/{id}/deliveries',
  order: '-id',
  inProject: true,
  lacks: ['updatedAt'],
  indexes: [
    { keys: { webhookId: 1, key: 1 }, unique: true },
    { keys: { tenantId: 1, webhookId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, webhookId: 1, status: 1, createdAt: -1 } },
    { keys: { tenantId: 1, status: 1, createdAt: 1 } },
    { keys: { tenantId: 1, projectId: 1 } },
    { keys: { due: 1 } },
    { keys: { createdAt: 1 } },
  ],
});
