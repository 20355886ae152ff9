// Messages between identities, as the interface shows them.
import { z } from 'zod';
import { MessagePriority, MessageType, SearchMatchKind } from '../../contract/enums.ts';
import { boolean, dateTime, dto, float, int32, int64, string, uuid } from '../../contract/types.ts';

export const RecipientDto = dto('RecipientDto', {
  identityId: int64,
  identityName: string,
  deliveredAtUtc: dateTime.nullable(),
  readAtUtc: dateTime.nullable(),
  archivedAtUtc: dateTime.nullable(),
  rejectedReason: string.nullable(),
});
export type RecipientDto = z.output<typeof RecipientDto>;

export const MessageDto = dto('MessageDto', {
  id: int64,
  guid: uuid,
  senderId: int64,
  senderName: string,
  content: string,
  type: MessageType,
  priority: MessagePriority,
  threadId: int64,
  recipients: z.array(RecipientDto),
  replyCount: int32,
  createdAtUtc: dateTime,
});
export type MessageDto = z.output<typeof MessageDto>;

export const InboxMessageDto = dto('InboxMessageDto', {
  ...MessageDto.shape,
  threadTitle: string.nullable(),
  requiresReply: boolean,
  repliedAtUtc: dateTime.nullable(),
  readAtUtc: dateTime.nullable(),
  archivedAtUtc: dateTime.nullable(),
  projectId: int64.nullable(),
  runId: int64.nullable(),
});
export type InboxMessageDto = z.output<typeof InboxMessageDto>;

export const UnreadCountDto = dto('UnreadCountDto', {
  identityId: int64,
  unreadMessages: int32,
  pendingReplyCount: int32,
});
export type UnreadCountDto = z.output<typeof UnreadCountDto>;

export const MessageReadResult = dto('MessageReadResult', { marked: int32, unreadMessages: int32 });
export type MessageReadResult = z.output<typeof MessageReadResult>;

export const MessageSearchHit = dto('MessageSearchHit', {
  message: MessageDto,
  /** How much of the message the words are, from 0 to 1. */
  score: float,
  matchedBy: SearchMatchKind,
  snippet: string,
});
export type MessageSearchHit = z.output<typeof MessageSearchHit>;

export const MessageThreadDto = dto('MessageThreadDto', {
  id: int64,
  guid: uuid,
  title: string.nullable(),
  projectId: int64.nullable(),
  runId: int64.nullable(),
  participants: z.array(RecipientDto),
  messageCount: int32,
  unreadCount: int32,
  lastMessageExcerpt: string.nullable(),
  lastSenderName: string.nullable(),
  lastMessageAtUtc: dateTime,
  archived: boolean,
  createdAtUtc: dateTime,
});
export type MessageThreadDto = z.output<typeof MessageThreadDto>;

export const MessageThreadDetailDto = dto('MessageThreadDetailDto', {
  ...MessageThreadDto.shape,
  messages: z.array(MessageDto),
  hasEarlier: boolean,
});
export type MessageThreadDetailDto = z.output<typeof MessageThreadDetailDto>;

export const BroadcastSkipDto = dto('BroadcastSkipDto', { identityId: int64, identityName: string, reason: string });

export const BroadcastResult = dto('BroadcastResult', {
  message: MessageDto,
  recipientCount: int32,
  skipped: z.array(BroadcastSkipDto),
});
export type BroadcastResult = z.output<typeof BroadcastResult>;
