// Webhooks and their deliveries as they are answered and published.
import { z } from 'zod';
import { DeliveryStatus } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string, uuid } from '../../contract/types.ts';

export const WebhookDto = dto('WebhookDto', {
  id: int64,
  guid: uuid,
  name: string,
  url: string,
  description: string.nullable(),
  /** Patterns: a type with `*` for any characters, or a topic before it (`project:7/task.*`). */
  eventTypes: z.array(string),
  filterJson: string.nullable(),
  projectId: int64.nullable(),
  identityId: int64.nullable(),
  headerNames: z.array(string),
  enabled: boolean,
  timeoutMs: int32,
  maxAttempts: int32,
  secretPrefix: string,
  successCount: int64,
  failureCount: int64,
  /** Deliveries in a row that failed with all their attempts. */
  consecutiveFailures: int32,
  lastDeliveryAtUtc: dateTime.nullable(),
  lastStatus: DeliveryStatus.nullable(),
  disabledAtUtc: dateTime.nullable(),
  disabledReason: string.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type WebhookDto = z.output<typeof WebhookDto>;

export const WebhookWriteResult = dto('WebhookWriteResult', {
  webhook: WebhookDto,
  /** `whsec_…`: told once, at creation and at rotation. */
  rawSecret: string.nullable(),
  previousSecretExpiresAtUtc: dateTime.nullable(),
});
export type WebhookWriteResult = z.output<typeof WebhookWriteResult>;

export const WebhookDeliveryDto = dto('WebhookDeliveryDto', {
  id: int64,
  guid: uuid,
  webhookId: int64,
  /** The header `webhook-id`: the same at every attempt, and when it is sent again by hand. */
  messageId: string,
  eventType: string,
  eventSeq: int64.nullable(),
  status: DeliveryStatus,
  attempt: int32,
  maxAttempts: int32,
  responseStatus: int32.nullable(),
  responseExcerpt: string.nullable(),
  durationMs: int32.nullable(),
  error: string.nullable(),
  requestBody: string.nullable(),
  nextAttemptAtUtc: dateTime.nullable(),
  deliveredAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
  /** Ours: a server stopped between an attempt and its answer, so it may have arrived more than once, under one id. */
  mayBeRepeated: boolean,
});
export type WebhookDeliveryDto = z.output<typeof WebhookDeliveryDto>;
