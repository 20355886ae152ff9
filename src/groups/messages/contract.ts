// Messages between identities: mailboxes, threads, replies and broadcasts.
import { z } from 'zod';
import { MessagePriority, MessageType } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, fields, int32, int64, nothing, string } from '../../contract/types.ts';
import {
  BroadcastResult,
  InboxMessageDto,
  MessageDto,
  MessageReadResult,
  MessageSearchHit,
  MessageThreadDetailDto,
  MessageThreadDto,
} from './dto.ts';

const content = string.trim().min(1).max(32_000);
const whose = { identityId: int64.optional() };
const kind = { type: MessageType.nullish(), priority: MessagePriority.nullish() };

export const messages = group(
  'Messages',
  { base: '/api/messages', doc: 'Messages between identities, under the messaging policies of both sides.' },
  {
    inbox: op.get('/inbox', {
      doc: 'The mailbox of your identity, or of one that you may act as, newest first.',
      needs: 'MessagesRead',
      query: listQuery(['createdAtUtc', 'id'], {
        ...whose,
        unreadOnly: boolean.optional(),
        includeArchived: boolean.optional(),
        type: MessageType.optional(),
        priority: MessagePriority.optional(),
        senderId: int64.optional(),
        sinceUtc: dateTime.optional(),
      }),
      data: page(InboxMessageDto),
    }),
    sent: op.get('/sent', {
      doc: 'What your identity, or one that you may act as, has sent, newest first.',
      needs: 'MessagesRead',
      query: listQuery(['createdAtUtc', 'id'], {
        ...whose,
        recipientId: int64.optional(),
        type: MessageType.optional(),
      }),
      data: page(MessageDto),
    }),
    send: op.post('', {
      doc: 'Send a message. It reaches those whose policies let it through; where none does, it is refused.',
      needs: 'MessagesWrite',
      body: fields({
        recipientIds: z.array(int64).min(1).max(100),
        content,
        ...kind,
        threadId: int64.nullish(),
        threadTitle: string.trim().min(1).max(300).nullish(),
        requiresReply: boolean.nullish(),
        senderId: int64.nullish(),
        projectId: int64.nullish(),
        runId: int64.nullish(),
      }),
      data: MessageDto,
    }),
    pendingReplies: op.get('/pending-replies', {
      doc: 'Messages that still await a reply of your identity, oldest first.',
      needs: 'MessagesRead',
      query: listQuery(['createdAtUtc', 'id'], whose),
      data: page(InboxMessageDto),
    }),
    search: op.get('/search', {
      doc: 'Search what your identity has sent and received of late; all words must occur.',
      needs: 'MessagesRead',
      query: fields({
        q: string.trim().min(1).max(200),
        ...whose,
        senderId: int64.optional(),
        threadId: int64.optional(),
        limit: int32.min(1).max(200).optional(),
      }),
      data: z.array(MessageSearchHit),
    }),
    markMany: op.post('/read', {
      doc: 'Mark several messages, a thread, or all of a mailbox as read.',
      needs: 'MessagesRead',
      body: fields({
        messageIds: z.array(int64).max(1000).nullish(),
        threadId: int64.nullish(),
        all: boolean.nullish(),
        identityId: int64.nullish(),
      }),
      data: MessageReadResult,
      idempotent: false,
    }),
    broadcast: op.post('/broadcast', {
      doc: 'Send one message to all identities of the tenant, to those with a tag, or to the members of a project.',
      needs: 'MessagesBroadcast',
      body: fields({
        content,
        orgUnitId: int64.nullish(),
        projectId: int64.nullish(),
        tag: string.trim().min(1).max(100).nullish(),
        everyone: boolean.nullish(),
        ...kind,
        senderId: int64.nullish(),
      }),
      data: BroadcastResult,
    }),
    threads: op.get('/threads', {
      doc: 'The threads that your identity takes part in, the latest first.',
      needs: 'MessagesRead',
      query: listQuery(['lastMessageAtUtc', 'createdAtUtc', 'id'], {
        ...whose,
        unreadOnly: boolean.optional(),
        archived: boolean.optional(),
        projectId: int64.optional(),
      }),
      data: page(MessageThreadDto),
    }),
    thread: op.get('/threads/{threadId}', {
      doc: 'One thread with its latest messages, or those before one of them, oldest first.',
      needs: 'MessagesRead',
      query: fields({ beforeId: int64.optional(), limit: int32.min(1).max(200).optional() }),
      data: MessageThreadDetailDto,
    }),
    archive: op.post('/threads/{threadId}/archive', {
      doc: 'Put a thread away for your identity, or take it back; a new message takes it back, too.',
      needs: 'MessagesWrite',
      body: fields({ archived: boolean.nullish() }),
      data: MessageThreadDto,
    }),
    get: op.get('/{id}', {
      doc: 'One message that your identity has sent or received.',
      needs: 'MessagesRead',
      data: InboxMessageDto,
    }),
    remove: op.delete('/{id}', {
      doc: 'Take a message out of your mailbox; others keep theirs.',
      needs: 'MessagesWrite',
      data: nothing,
    }),
    reply: op.post('/{id}/reply', {
      doc: 'Answer a message in its thread: its sender, or everybody who had it.',
      needs: 'MessagesWrite',
      body: fields({
        content,
        ...kind,
        replyToAll: boolean.nullish(),
        senderId: int64.nullish(),
        requiresReply: boolean.nullish(),
      }),
      data: MessageDto,
    }),
    mark: op.post('/{id}/read', {
      doc: 'Mark a message as read, or as unread again.',
      needs: 'MessagesRead',
      body: fields({ isRead: boolean.nullish() }),
      data: nothing,
      idempotent: false,
    }),
  },
);
