// Channels and what went through them, as they are answered and published.
import { z } from 'zod';
import { ChannelDirection, ChannelKind, DeliveryStatus, MessagePriority } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string, uuid } from '../../contract/types.ts';

export const ChannelDto = dto('ChannelDto', {
  id: int64,
  guid: uuid,
  name: string,
  kind: ChannelKind,
  direction: ChannelDirection,
  /** Where messages go, without what is secret: a host, a room. */
  targetSummary: string.nullable(),
  hasUrl: boolean,
  hasSecret: boolean,
  /** Where the service sends its callbacks; null for channels that only send. */
  inboundPath: string.nullable(),
  /** Always null: a channel has its own url and secret. */
  connectorId: int64.nullable(),
  identityId: int64.nullable(),
  identityName: string.nullable(),
  projectId: int64.nullable(),
  /** Patterns: a type with `*` for any characters, or a topic before it (`project:7/task.*`). */
  eventTypes: z.array(string),
  minPriority: MessagePriority,
  settingsJson: string.nullable(),
  enabled: boolean,
  /** Deliveries in a row that failed with all their attempts. */
  failureCount: int32,
  lastDeliveryStatus: DeliveryStatus.nullable(),
  lastDeliveryAtUtc: dateTime.nullable(),
  lastError: string.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type ChannelDto = z.output<typeof ChannelDto>;

export const ChannelDeliveryDto = dto('ChannelDeliveryDto', {
  id: int64,
  guid: uuid,
  channelId: int64,
  direction: ChannelDirection,
  status: DeliveryStatus,
  eventType: string.nullable(),
  /** The beginning of what was said. */
  text: string.nullable(),
  /** The service's id of the message. */
  externalId: string.nullable(),
  threadKey: string.nullable(),
  responseStatus: int32.nullable(),
  attempt: int32,
  durationMs: int32.nullable(),
  error: string.nullable(),
  messageId: int64.nullable(),
  chatSessionId: int64.nullable(),
  runId: int64.nullable(),
  nextAttemptAtUtc: dateTime.nullable(),
  deliveredAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
});
export type ChannelDeliveryDto = z.output<typeof ChannelDeliveryDto>;

export const ChannelInboundResult = dto('ChannelInboundResult', {
  accepted: boolean,
  duplicate: boolean,
  deliveryId: int64.nullable(),
  messageId: int64.nullable(),
  chatSessionId: int64.nullable(),
  runId: int64.nullable(),
  challenge: string.nullable(),
});
export type ChannelInboundResult = z.output<typeof ChannelInboundResult>;
