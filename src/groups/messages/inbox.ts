// Messages between identities: stored once, put into every recipient's mailbox, announced; unread ones counted exactly.
import { randomUUID } from 'node:crypto';
import type { IdentityDoc } from '../../auth/documents.ts';
import { noIdentity } from '../../auth/named-identity.ts';
import type { MessagePriority, MessageType } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Bonds } from '../../ports/bonds.ts';
import type { Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Repairs } from '../../ports/repairs.ts';
import type { Publisher } from '../../ports/stream.ts';
import { type PerTenant, perTenant } from '../../ports/tenanted.ts';
import { namesOf } from '../identity-names.ts';
import { createDelivery, type DeliverToRun } from './delivery.ts';
import {
  type Delivery,
  type EntryDoc,
  entrySpec,
  type MessageDoc,
  messageSpec,
  type ThreadDoc,
  toMessageDto,
} from './documents.ts';
import type { MessageDto, MessageReadResult } from './dto.ts';
import { verdictOf } from './policy.ts';
import { createReads, type Reads, type Viewer } from './reads.ts';
import { createThreadViews, type ThreadViews } from './thread-views.ts';
import { createThreads } from './threads.ts';
import { createUnreadCounts } from './unread.ts';

export interface InboxDeps {
  db: Db;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
  repairs: Repairs;
  identities: PerTenant<IdentityDoc>;
  /** Hands a message to a run, which reads it at its next turn. */
  deliver: DeliverToRun;
  /** Told of who writes to whom. */
  bonds?: Bonds;
}

export interface MessageDraft {
  tenantId: number;
  senderId: number;
  recipientIds: readonly number[];
  content: string;
  type?: MessageType;
  priority?: MessagePriority;
  requiresReply?: boolean;
  replyToId?: number | null;
  /** An earlier thread to go on in; a run's messages share the run's thread. */
  threadId?: number | null;
  threadTitle?: string | null;
  runId?: number | null;
  projectId?: number | null;
  /** The run that is to read it at its next turn. */
  toRunId?: number | null;
  /** Goes through whatever the policies say: what a run is told by those who steer it, and what it asks people. */
  anyway?: boolean;
  /** A draft with a key that was sent before is not sent again. */
  key?: string | null;
}

export interface Inbox {
  messages: PerTenant<MessageDoc>;
  entries: PerTenant<EntryDoc>;
  threads: PerTenant<ThreadDoc>;
  reads: Reads;
  views: ThreadViews;
  /**
   * @throws Fault NOT_FOUND for an unknown identity or thread, INVALID_TRANSITION when the run has ended,
   *   MESSAGING_BLOCKED when no recipient's policy lets it through
   */
  send(draft: MessageDraft): Promise<{ message: MessageDto; existed: boolean }>;
  /** Unread messages of an identity: exact in this process; a number at once when it is known. */
  unread(tenantId: number, identityId: number): number | Promise<number>;
  /** Marks the named messages, a thread, or everything in an identity's mailbox as read. */
  markRead(which: {
    tenantId: number;
    identityId: number;
    messageIds?: readonly number[];
    threadId?: number;
  }): Promise<MessageReadResult>;
  /** Marks messages as unread again; answers how many were read. */
  markUnread(which: Viewer & { messageIds: readonly number[] }): Promise<MessageReadResult>;
  /** Takes a message out of one mailbox, and out of what was sent. */
  takeOut(viewer: Viewer, messageId: number): Promise<void>;
  /** Puts a thread away for one identity, or takes it back. */
  archive(viewer: Viewer, thread: ThreadDoc, archived: boolean): Promise<void>;
  /** Messages with the state of their recipients. */
  toDtos(tenantId: number, messages: readonly MessageDoc[]): Promise<MessageDto[]>;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections, which call each other.
export function createInbox(deps: InboxDeps): Inbox {
  const { db, ids, clock, repairs } = deps;
  const messages = perTenant(db.collection(messageSpec));
  const entries = perTenant(db.collection(entrySpec));
  const threads = createThreads(deps);
  const unread = createUnreadCounts({ entries, clock });
  const reads = createReads({ messages, entries, threads: threads.of });
  const views = createThreadViews({
    messages,
    entries,
    threads: threads.of,
    members: threads.members,
    reads,
    namesOf: (tenantId, ids) => namesOf(deps.identities, tenantId, ids),
  });
  const answerFor = async (message: MessageDoc, { _id: from, displayName }: IdentityDoc) => {
    // One answer an hour to each, so that two who both answer by themselves fall silent.
    const hour = Math.floor(message.createdAt.getTime() / 3_600_000);
    const answer = inbox.send({
      tenantId: message.tenantId,
      senderId: from,
      recipientIds: [message.senderId],
      content: `${displayName} has your message and reads it later. This is an automatic reply.`,
      type: 'AutoReply',
      priority: message.priority,
      threadId: message.threadId,
      key: `auto-reply:${from}:${message.senderId}:${hour}`,
    });
    await answer.catch(ignoreRefused);
  };
  const delivery = createDelivery({ ...deps, messages, entries, threads, unread, answerFor });
  repairs.register<MessageDoc, Delivery>({
    collection: messageSpec,
    kind: 'message.deliver',
    complete: (message, intent) => delivery.complete(message, intent.data),
  });

  const insert = async (message: MessageDoc): Promise<{ message: MessageDoc; existed: boolean }> => {
    try {
      await messages(message.tenantId).insertOne(message);
      return { message, existed: false };
    } catch (error) {
      const earlier =
        message.key !== null && isDuplicate(error) && (await messages(message.tenantId).findOne({ key: message.key }));
      if (earlier) return { message: earlier, existed: true };
      throw error;
    }
  };

  const toDtos = async (tenantId: number, list: readonly MessageDoc[]): Promise<MessageDto[]> => {
    if (list.length === 0) return [];
    const found = await entries(tenantId)
      .find({ messageId: { $in: list.map((one) => one._id) } })
      .toArray();
    const byMessage = new Map<number, EntryDoc[]>(list.map((one) => [one._id, []]));
    for (const entry of found) byMessage.get(entry.messageId)?.push(entry);
    return list.map((one) => toMessageDto(one, byMessage.get(one._id) ?? []));
  };

  const announceRead = async ({ tenantId, identityId }: Viewer, marked: number): Promise<MessageReadResult> => {
    unread.changed(identityId);
    const result = { marked, unreadMessages: await unread.of(tenantId, identityId) };
    if (marked > 0) await delivery.announceRead(tenantId, identityId, result);
    return result;
  };

  const inbox: Inbox = {
    messages,
    entries,
    threads: threads.of,
    reads,
    views,
    toDtos,
    unread: unread.of,
    async send(draft) {
      const { tenantId } = draft;
      const people = await findPeople(deps, tenantId, [draft.senderId, ...draft.recipientIds]);
      const sender = people.get(draft.senderId) as IdentityDoc;
      const priority = draft.priority ?? 'Normal';
      const refusals = draft.anyway
        ? new Map<number, string>()
        : refusalsOf(sender, people, draft.recipientIds, priority);
      const thread = await threads.open(draft);
      const { message, existed } = await insert({
        _id: await ids.next('messages'),
        guid: randomUUID(),
        tenantId,
        threadId: thread._id,
        runId: draft.runId ?? thread.runId,
        projectId: draft.projectId ?? thread.projectId,
        senderId: sender._id,
        senderName: sender.displayName,
        content: draft.content,
        type: draft.type ?? 'Text',
        priority,
        requiresReply: draft.requiresReply ?? false,
        replyToId: draft.replyToId ?? null,
        replyIds: [],
        recipients: [...new Set(draft.recipientIds)].map((identityId) => ({
          identityId,
          identityName: people.get(identityId)?.displayName ?? '',
          // What somebody says to a run of their own is no news to them.
          seen: identityId === sender._id && draft.toRunId != null,
          ...(refusals.has(identityId) ? { refused: refusals.get(identityId) as string } : {}),
        })),
        key: draft.key ?? null,
        createdAt: new Date(clock.now()),
        intent: repairs.intent<Delivery>('message.deliver', { toRunId: draft.toRunId ?? null }),
      });
      // A request with its key was faster: what was opened for this one alone stays empty.
      const isNew = draft.threadId == null && draft.runId == null;
      if (existed && isNew && message.threadId !== thread._id)
        await threads.of(tenantId).deleteOne({ _id: thread._id });
      await repairs.settle(messageSpec, message);
      const [dto] = await toDtos(tenantId, [message]);
      const refused = draft.toRunId == null ? null : dto?.recipients.find((one) => one.rejectedReason !== null);
      if (refused)
        throw new Fault('INVALID_TRANSITION', refused.rejectedReason ?? '', {
          hint: 'Restart the run with POST /api/agent/runs/{id}/restart, or fork it, and send the message again.',
        });
      return { message: dto as MessageDto, existed };
    },
    async markRead({ tenantId, identityId, messageIds, threadId }) {
      const which = {
        identityId,
        unread: true,
        ...(messageIds === undefined ? {} : { messageId: { $in: messageIds } }),
        ...(threadId === undefined ? {} : { threadId }),
      };
      const readAt = new Date(clock.now());
      const { modifiedCount } = await entries(tenantId).updateMany(which, { $set: { unread: false, readAt } });
      return announceRead({ tenantId, identityId }, modifiedCount);
    },
    async markUnread({ tenantId, identityId, messageIds }) {
      const which = { identityId, unread: false, messageId: { $in: messageIds }, rejectedReason: null };
      const { modifiedCount } = await entries(tenantId).updateMany(which, { $set: { unread: true, readAt: null } });
      return announceRead({ tenantId, identityId }, modifiedCount);
    },
    async takeOut({ tenantId, identityId }, messageId) {
      const removedAt = new Date(clock.now());
      const $set = { removedAt, unread: false, awaitsReply: false };
      const taken = await entries(tenantId).updateOne({ _id: `${messageId}:${identityId}` }, { $set });
      await messages(tenantId).updateOne(
        { _id: messageId, senderId: identityId },
        { $set: { senderRemovedAt: removedAt } },
      );
      await announceRead({ tenantId, identityId }, taken.modifiedCount);
    },
    async archive({ tenantId, identityId }, thread, archived) {
      const at = archived ? new Date(clock.now()) : null;
      await entries(tenantId).updateMany({ identityId, threadId: thread._id }, { $set: { archivedAt: at } });
      await threads.members(tenantId).updateOne({ _id: `${thread._id}:${identityId}` }, { $set: { archived } });
    },
  };
  return inbox;
}

/** Why a message does not reach some of its recipients. @throws Fault MESSAGING_BLOCKED when it reaches none */
function refusalsOf(
  sender: IdentityDoc,
  people: ReadonlyMap<number, IdentityDoc>,
  ids: readonly number[],
  priority: MessagePriority,
): Map<number, string> {
  const refusals = new Map<number, string>();
  for (const id of ids) {
    const recipient = people.get(id);
    const reason = recipient ? verdictOf(sender, recipient, priority) : null;
    if (reason !== null) refusals.set(id, reason);
  }
  if (new Set(ids).size > refusals.size) return refusals;
  throw new Fault('MESSAGING_BLOCKED', refusals.values().next().value ?? 'Nobody would get this message.', {
    hint: 'Ask with GET /api/identities/{senderId}/can-message/{recipientId}, or raise the priority.',
  });
}

/** An answer that does not get through is left out. */
function ignoreRefused(error: unknown): void {
  if (!(error instanceof Fault) || error.status >= 500) throw error;
}

async function findPeople(
  { identities }: InboxDeps,
  tenantId: number,
  wanted: readonly number[],
): Promise<Map<number, IdentityDoc>> {
  const found = await identities(tenantId)
    .find({ _id: { $in: [...new Set(wanted)] }, deletedAt: null })
    .toArray();
  const people = new Map(found.map((one) => [one._id, one]));
  const missing = wanted.find((id) => !people.has(id));
  if (missing !== undefined) throw noIdentity(missing);
  return people;
}
