// What is kept of messages: threads, messages, and one mailbox entry a recipient.
import type { MessagePriority, MessageType } from '../../contract/enums.ts';
import { defineCollection } from '../../ports/db.ts';
import { type Intent, intentIndex } from '../../ports/repairs.ts';
import type { InboxMessageDto, MessageDto, RecipientDto } from './dto.ts';

export interface ThreadDoc {
  _id: number;
  guid: string;
  tenantId: number;
  title: string | null;
  /** A run has one thread for all that is said to it and by it. */
  runId: number | null;
  projectId: number | null;
  participantIds: number[];
  createdAt: Date;
  lastMessageAt: Date;
}

/** A thread as one of its participants has it. */
export interface MemberDoc {
  /** `<thread>:<identity>`. */
  _id: string;
  tenantId: number;
  threadId: number;
  identityId: number;
  projectId: number | null;
  /** Whether they have put it away. */
  archived: boolean;
  createdAt: Date;
  lastMessageAt: Date;
}

export interface MessageDoc {
  _id: number;
  guid: string;
  tenantId: number;
  threadId: number;
  runId: number | null;
  projectId: number | null;
  senderId: number;
  senderName: string;
  content: string;
  type: MessageType;
  priority: MessagePriority;
  requiresReply: boolean;
  replyToId: number | null;
  /** Messages that answer this one. */
  replyIds: number[];
  recipients: Addressee[];
  /** Set when its sender took it out of what was sent. */
  senderRemovedAt?: Date | null;
  /** Set by writers that may repeat themselves; unique within the tenant. */
  key: string | null;
  createdAt: Date;
  /** Present until every recipient has it and the events are out. */
  intent?: Intent<Delivery> | null;
}

export interface Addressee {
  identityId: number;
  identityName: string;
  /** True for a copy that needs no reading, e.g. of what one says to one's own run. */
  seen: boolean;
  /** Why the message does not reach them. */
  refused?: string;
}

export interface Delivery {
  /** The run that is to read this at its next turn. */
  toRunId: number | null;
}

/** A message in one identity's mailbox. */
export interface EntryDoc {
  /** `<message>:<identity>`, so that delivering twice makes one entry. */
  _id: string;
  tenantId: number;
  messageId: number;
  threadId: number;
  identityId: number;
  identityName: string;
  senderId: number;
  type: MessageType;
  priority: MessagePriority;
  unread: boolean;
  awaitsReply: boolean;
  deliveredAt: Date | null;
  readAt: Date | null;
  repliedAt: Date | null;
  archivedAt: Date | null;
  rejectedReason: string | null;
  /** Set when its owner took it out of the mailbox. */
  removedAt?: Date | null;
  createdAt: Date;
}

export const threadSpec = defineCollection<ThreadDoc>({
  name: 'message_threads',
  indexes: [
    { keys: { tenantId: 1, lastMessageAt: -1 } },
    { keys: { runId: 1 }, unique: true, partialFilterExpression: { runId: { $gt: 0 } } },
  ],
});

export const memberSpec = defineCollection<MemberDoc>({
  name: 'message_thread_members',
  indexes: [
    { keys: { tenantId: 1, identityId: 1, archived: 1, lastMessageAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, archived: 1, createdAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, archived: 1, threadId: 1 } },
    { keys: { tenantId: 1, identityId: 1, projectId: 1, archived: 1, lastMessageAt: -1 } },
  ],
});

export const messageSpec = defineCollection<MessageDoc>({
  name: 'messages',
  indexes: [
    { keys: { tenantId: 1, runId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, threadId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, senderId: 1, senderRemovedAt: 1, createdAt: -1 } },
    { keys: { tenantId: 1, senderId: 1, threadId: 1, _id: -1 } },
    { keys: { tenantId: 1, key: 1 }, unique: true, partialFilterExpression: { key: { $gt: '' } } },
    intentIndex,
  ],
});

export const entrySpec = defineCollection<EntryDoc>({
  name: 'mailbox',
  indexes: [
    { keys: { tenantId: 1, identityId: 1, unread: 1, createdAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, awaitsReply: 1 } },
    { keys: { tenantId: 1, identityId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, removedAt: 1, rejectedReason: 1, archivedAt: 1, createdAt: -1 } },
    { keys: { tenantId: 1, messageId: 1 } },
    { keys: { tenantId: 1, identityId: 1, threadId: 1, messageId: -1 } },
  ],
});

export const messageSpecs = [threadSpec, memberSpec, messageSpec, entrySpec];

const iso = (date: Date | null) => date?.toISOString() ?? null;

/** Entries by the numbers of their messages. */
export function mailboxesOf(entries: readonly EntryDoc[]): ReadonlyMap<number, EntryDoc[]> {
  const mailboxes = new Map<number, EntryDoc[]>();
  for (const entry of entries) {
    const known = mailboxes.get(entry.messageId);
    if (known) known.push(entry);
    else mailboxes.set(entry.messageId, [entry]);
  }
  return mailboxes;
}

/** `entries`: those of this message. */
export function toMessageDto(message: MessageDoc, entries: readonly EntryDoc[]): MessageDto {
  return {
    id: message._id,
    guid: message.guid,
    senderId: message.senderId,
    senderName: message.senderName,
    content: message.content,
    type: message.type,
    priority: message.priority,
    threadId: message.threadId,
    recipients: message.recipients.map(({ identityId, identityName }) => {
      const entry = entries.find((one) => one.identityId === identityId);
      return entry ? toRecipientDto(entry) : { ...undelivered, identityId, identityName };
    }),
    replyCount: message.replyIds.length,
    createdAtUtc: message.createdAt.toISOString(),
  };
}

const undelivered = { deliveredAtUtc: null, readAtUtc: null, archivedAtUtc: null, rejectedReason: null };

function toRecipientDto(entry: EntryDoc): RecipientDto {
  return {
    identityId: entry.identityId,
    identityName: entry.identityName,
    deliveredAtUtc: iso(entry.deliveredAt),
    readAtUtc: iso(entry.readAt),
    archivedAtUtc: iso(entry.archivedAt),
    rejectedReason: entry.rejectedReason,
  };
}

/** A message as it stands in one recipient's mailbox; null where its sender looks at it. */
export function toInboxMessageDto(
  message: MessageDoc,
  entries: readonly EntryDoc[],
  entry: EntryDoc | null,
  threadTitle: string | null,
): InboxMessageDto {
  return {
    ...toMessageDto(message, entries),
    threadTitle,
    requiresReply: message.requiresReply,
    repliedAtUtc: iso(entry?.repliedAt ?? null),
    readAtUtc: iso(entry?.readAt ?? null),
    archivedAtUtc: iso(entry?.archivedAt ?? null),
    projectId: message.projectId,
    runId: message.runId,
  };
}
