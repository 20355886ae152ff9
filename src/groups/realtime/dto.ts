// Frames and resources of the real-time transports.
import { z } from 'zod';
import { NotificationKind, RealtimeOp, RealtimeTransport, SystemLogLevel } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int64, jsonObject, string } from '../../contract/types.ts';

export const WebSocketTicketDto = dto('WebSocketTicketDto', {
  ticket: string,
  url: string,
  socketIoUrl: string,
  eventsUrl: string,
  topics: z.array(string),
  singleUse: boolean,
  expiresAtUtc: dateTime,
});
export type WebSocketTicketDto = z.output<typeof WebSocketTicketDto>;

export const WebSocketConnectionDto = dto('WebSocketConnectionDto', {
  id: string,
  transport: RealtimeTransport,
  nodeId: string,
  userId: int64.nullable(),
  identityId: int64.nullable(),
  principalName: string,
  remoteIp: string.nullable(),
  userAgent: string.nullable(),
  topics: z.array(string),
  messagesIn: int64,
  messagesOut: int64,
  bytesOut: int64,
  bufferedBytes: int64,
  droppedCount: int64,
  lagSeq: int64.nullable(),
  connectedAtUtc: dateTime,
  lastSeenAtUtc: dateTime,
});
export type WebSocketConnectionDto = z.output<typeof WebSocketConnectionDto>;

export const RealtimeEventDto = dto('RealtimeEventDto', {
  epoch: string,
  seq: int64,
  topic: string,
  type: string,
  atUtc: dateTime,
  data: jsonObject,
});
export type RealtimeEventDto = z.output<typeof RealtimeEventDto>;

export const RealtimeCommand = dto('RealtimeCommand', {
  op: RealtimeOp,
  id: string.nullable(),
  topics: z.array(string).nullable(),
  topic: string.nullable(),
  lastEventId: string.nullable(),
  type: string.nullable(),
  data: jsonObject.nullable(),
});
export type RealtimeCommand = z.output<typeof RealtimeCommand>;

export const RealtimeReply = dto('RealtimeReply', {
  op: RealtimeOp,
  id: string.nullable(),
  ok: boolean,
  error: string.nullable(),
  errorCode: string.nullable(),
  topics: z.array(string).nullable(),
  seq: int64.nullable(),
});
export type RealtimeReply = z.output<typeof RealtimeReply>;

export const NotificationDto = dto('NotificationDto', {
  kind: NotificationKind,
  title: string,
  body: string.nullable(),
  level: SystemLogLevel,
  url: string.nullable(),
  targetId: int64.nullable(),
  atUtc: dateTime,
});
export type NotificationDto = z.output<typeof NotificationDto>;

/** What a resource leaves behind when it is deleted. */
export const DeletedDto = dto('DeletedDto', { kind: string, id: int64, atUtc: dateTime });
export type DeletedDto = z.output<typeof DeletedDto>;

/** Payload of `stream.gap`: what lies between could not be served, load a snapshot. */
export const StreamGapDto = dto('StreamGapDto', {
  topic: string,
  requestedSeq: int64,
  oldestSeq: int64,
  latestSeq: int64,
});
export type StreamGapDto = z.output<typeof StreamGapDto>;
