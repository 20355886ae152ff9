// Carries a stored message to its readers: mailboxes, the run it is for, and whoever watches. Every step may be repeated.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { MessageType } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Bonds } from '../../ports/bonds.ts';
import { ignoreDuplicate } from '../../ports/duplicate.ts';
import { type Publisher, personalTopic } from '../../ports/stream.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import {
  type Addressee,
  type Delivery,
  type EntryDoc,
  type MessageDoc,
  toInboxMessageDto,
  toMessageDto,
} from './documents.ts';
import type { MessageReadResult } from './dto.ts';
import { willAutoReply } from './policy.ts';
import type { Threads } from './threads.ts';
import type { UnreadCounts } from './unread.ts';

/**
 * Hands a message to a run, at most once a key. A Fault below 500 means that the run will never read it, e.g. because
 * it has ended; anything else is tried again.
 */
export type DeliverToRun = (
  runId: number,
  message: { key: string; threadId: number; text: string; from: string },
) => Promise<void>;

/** Messages that say nothing of how two get on. */
const impersonal: readonly MessageType[] = [
  'AutoReply',
  'Broadcast',
  'Notification',
  'System',
  'Escalation',
  'Approval',
];
const excerpt = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 200);
const keyOf = (messageId: number) => `message:${messageId}`;

/** The message that a run was handed under a key; null when the key is not one of a message. */
export function messageIdOf(key: string): number | null {
  const id = Number(/^message:(\d+)$/.exec(key)?.[1]);
  return Number.isSafeInteger(id) ? id : null;
}

interface Deps {
  clock: Clock;
  publisher: Publisher;
  identities: PerTenant<IdentityDoc>;
  messages: PerTenant<MessageDoc>;
  entries: PerTenant<EntryDoc>;
  threads: Threads;
  unread: UnreadCounts;
  deliver: DeliverToRun;
  /** Sends the automatic answer of a recipient, at most once. */
  answerFor: (message: MessageDoc, recipient: IdentityDoc) => Promise<void>;
  bonds?: Bonds | undefined;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections, which call each other.
export function createDelivery(deps: Deps) {
  const { clock, entries, messages, threads, unread, publisher } = deps;

  const putIntoMailbox = async (message: MessageDoc, to: Addressee) => {
    const now = new Date(clock.now());
    const entry: EntryDoc = {
      _id: `${message._id}:${to.identityId}`,
      tenantId: message.tenantId,
      messageId: message._id,
      threadId: message.threadId,
      identityId: to.identityId,
      identityName: to.identityName,
      senderId: message.senderId,
      type: message.type,
      priority: message.priority,
      unread: !to.seen && !to.refused,
      awaitsReply: message.requiresReply && !to.seen && !to.refused,
      deliveredAt: to.refused ? null : now,
      readAt: to.seen ? now : null,
      repliedAt: null,
      archivedAt: null,
      rejectedReason: to.refused ?? null,
      createdAt: message.createdAt,
    };
    await entries(message.tenantId).insertOne(entry).catch(ignoreDuplicate);
    unread.changed(to.identityId);
  };

  const handToRun = async (message: MessageDoc, runId: number) => {
    try {
      await deps.deliver(runId, {
        key: keyOf(message._id),
        threadId: message.threadId,
        text: message.content,
        from: message.senderName,
      });
    } catch (error) {
      if (!(error instanceof Fault) || error.status >= 500) throw error;
      await entries(message.tenantId).updateMany(
        { messageId: message._id },
        { $set: { rejectedReason: error.message, deliveredAt: null, unread: false, awaitsReply: false } },
      );
      for (const { identityId } of message.recipients) unread.changed(identityId);
    }
  };

  /** What the sender was asked in this thread by those it writes to now is answered. */
  const answer = async (message: MessageDoc) => {
    const { tenantId, threadId, senderId, createdAt } = message;
    const asked = await entries(tenantId)
      .find({
        identityId: senderId,
        threadId,
        awaitsReply: true,
        senderId: { $in: message.recipients.map((one) => one.identityId) },
        messageId: { $ne: message._id },
      })
      .toArray();
    const answered = [...asked.map((one) => one.messageId), ...(message.replyToId === null ? [] : [message.replyToId])];
    for (const id of new Set(answered))
      await messages(tenantId).updateOne({ _id: id }, { $addToSet: { replyIds: message._id } });
    for (const { _id } of asked)
      await entries(tenantId).updateOne({ _id }, { $set: { awaitsReply: false, repliedAt: createdAt } });
  };

  /** Topics of an identity and of the person behind it. */
  const topicsOf = (identity: Pick<IdentityDoc, '_id' | 'userId'>) => [
    `inbox:${identity._id}`,
    personalTopic('me', { identityId: identity._id }),
    personalTopic('me', { userId: identity.userId }),
  ];

  const announceCount = async (tenantId: number, identity: Pick<IdentityDoc, '_id' | 'userId'>) => {
    const [unreadMessages, pendingReplyCount] = await Promise.all([
      unread.of(tenantId, identity._id),
      entries(tenantId).countDocuments({ identityId: identity._id, awaitsReply: true }),
    ]);
    const data = { identityId: identity._id, unreadMessages, pendingReplyCount };
    await publisher.publish({ tenantId, topics: topicsOf(identity), type: 'inbox.count', data });
  };

  const announce = async (message: MessageDoc) => {
    const { tenantId, runId, senderId } = message;
    const [mailboxes, thread, people] = await Promise.all([
      entries(tenantId).find({ messageId: message._id }).toArray(),
      threads.of(tenantId).findOne({ _id: message.threadId }),
      deps
        .identities(tenantId)
        .find({ _id: { $in: message.recipients.map((one) => one.identityId) } })
        .toArray(),
    ]);
    const data = toMessageDto(message, mailboxes);
    if (runId !== null) await publisher.publish({ tenantId, topics: [`run:${runId}`], type: 'run.message', data });
    await publisher.publish({ tenantId, topics: [`inbox:${senderId}`], type: 'message.sent', data });
    for (const identity of people) {
      const entry = mailboxes.find((one) => one.identityId === identity._id);
      const seen = message.recipients.some((to) => to.seen && to.identityId === identity._id);
      if (!entry || seen || entry.rejectedReason !== null) continue;
      const received = toInboxMessageDto(message, mailboxes, entry, thread?.title ?? null);
      await publisher.publish({ tenantId, topics: topicsOf(identity), type: 'message.received', data: received });
      await announceCount(tenantId, identity);
    }
  };

  const autoReply = async (message: MessageDoc, reached: readonly Addressee[]) => {
    const people = await deps
      .identities(message.tenantId)
      .find({ _id: { $in: reached.map((one) => one.identityId) } })
      .toArray();
    for (const one of people)
      if (willAutoReply(one, message.senderId, message.type)) await deps.answerFor(message, one);
  };

  /** Writing to each other makes people familiar, on both sides. */
  const noteBonds = async (message: MessageDoc, reached: readonly Addressee[]) => {
    const { _id: messageId, tenantId, senderId, runId, createdAt: at } = message;
    if (!deps.bonds || impersonal.includes(message.type)) return;
    const about = { tenantId, kind: 'Message' as const, runId, messageId, at };
    const summary = excerpt(message.content);
    for (const { identityId, seen } of reached) {
      if (seen || identityId === senderId) continue;
      const pairs = [
        { from: identityId, to: senderId },
        { from: senderId, to: identityId },
      ];
      for (const { from, to } of pairs)
        await deps.bonds.note({ ...about, from, to, summary, key: `message:${messageId}:${from}:${to}` });
    }
  };

  return {
    /** Does whatever is left to do for a stored message. */
    async complete(message: MessageDoc, { toRunId }: Delivery): Promise<void> {
      const reached = message.recipients.filter((to) => !to.refused);
      for (const to of message.recipients) await putIntoMailbox(message, to);
      if (toRunId !== null) await handToRun(message, toRunId);
      await threads.note(message);
      await answer(message);
      await announce(message);
      if (toRunId === null) await autoReply(message, reached);
      await noteBonds(message, reached);
    },
    async announceRead(tenantId: number, identityId: number, result: MessageReadResult): Promise<void> {
      await publisher.publish({ tenantId, topics: [`inbox:${identityId}`], type: 'message.read', data: result });
      const identity = await deps.identities(tenantId).findOne({ _id: identityId });
      if (identity) await announceCount(tenantId, identity);
    },
  };
}
