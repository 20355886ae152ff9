// Restores messages between identities: in their threads, as they lay in the mailbox, and without telling anybody.
import { randomUUID } from 'node:crypto';
import type { Filter } from '../../../ports/db.ts';
import { ignoreDuplicate } from '../../../ports/duplicate.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import { storedFields } from '../../export/portable-records.ts';
import {
  type EntryDoc,
  entrySpec,
  type MemberDoc,
  type MessageDoc,
  memberSpec,
  messageSpec,
  type ThreadDoc,
  threadSpec,
} from '../../messages/documents.ts';
import { removeThreads } from '../../messages/retention.ts';
import type { ItemDoc } from '../record.ts';
import { insertOnce, nobody, type Restoring, type RestoringDeps } from './restoring.ts';
import { type Whole, wholeOf } from './wholes.ts';

/** Threads that are removed at once. */
const atOnce = 100;

function createWriting({ db }: RestoringDeps) {
  const threads = perTenant(db.collection(threadSpec));
  const members = perTenant(db.collection(memberSpec));
  const messages = perTenant(db.collection(messageSpec));
  const entries = perTenant(db.collection(entrySpec));

  const restoreThread = async (r: Restoring, item: ItemDoc): Promise<void> => {
    const data = wholeOf('thread', item);
    const thread: ThreadDoc = {
      _id: await r.idFor(item, threadSpec.name),
      guid: randomUUID(),
      tenantId: r.by.tenantId,
      title: data.title,
      runId: await r.madeOf(data.run),
      projectId: r.projectOf(data.project),
      participantIds: [r.identityId],
      createdAt: r.past(data.createdAtUtc),
      lastMessageAt: r.past(data.lastMessageAtUtc),
    };
    await insertOnce(threads(r.by.tenantId), thread);
    const { _id: threadId, tenantId, projectId, createdAt, lastMessageAt } = thread;
    const member: MemberDoc = {
      _id: `${threadId}:${r.identityId}`,
      ...{ tenantId, threadId, identityId: r.identityId, projectId, archived: data.archived, createdAt, lastMessageAt },
    };
    await members(tenantId).insertOne(member).catch(ignoreDuplicate);
  };

  const restoreMessage = async (r: Restoring, item: ItemDoc): Promise<void> => {
    const data = wholeOf('message', item);
    const threadId = await r.madeOf(data.thread);
    if (threadId === null) return;
    const thread = await threads(r.by.tenantId).findOne({ _id: threadId }, { projection: { runId: 1 } });
    const runId = thread?.runId ?? null;
    const message = messageOf(r, data, { _id: await r.idFor(item, messageSpec.name), threadId, runId });
    await insertOnce(messages(r.by.tenantId), message);
    const to = message.recipients.find(({ identityId }) => identityId === r.identityId);
    if (!data.mailbox || !to) return;
    await entries(r.by.tenantId)
      .insertOne(entryOf(r, message, data.mailbox))
      .catch(ignoreDuplicate);
  };

  /** An answer comes after what it answers. */
  const tieAnswers = async (r: Restoring): Promise<void> => {
    for await (const item of r.itemsOf('message')) {
      const { replies } = wholeOf('message', item);
      if (replies.length === 0 || item.madeId == null) continue;
      const made = await Promise.all(replies.map((one) => r.madeOf(one)));
      const replyIds = made.filter((id) => id !== null);
      await messages(r.by.tenantId).updateOne({ _id: item.madeId }, { $set: { replyIds } });
      const answers = { _id: { $in: replyIds } } as Filter<MessageDoc>;
      await messages(r.by.tenantId).updateMany(answers, { $set: { replyToId: item.madeId } });
    }
  };

  return { restoreThread, restoreMessage, tieAnswers };
}

export function createRestoringMail(deps: RestoringDeps) {
  const { db, sets } = deps;
  const { restoreThread, restoreMessage, tieAnswers } = createWriting(deps);
  return {
    async all(r: Restoring): Promise<void> {
      for await (const item of r.itemsOf('thread')) {
        r.held.check();
        await restoreThread(r, item);
      }
      for await (const item of r.itemsOf('message')) {
        r.held.check();
        await restoreMessage(r, item);
      }
      await tieAnswers(r);
    },
    async remove(tenantId: number, importId: number): Promise<void> {
      const items = sets.items(tenantId);
      for (;;) {
        const made = { importId, wholeKind: 'thread', madeId: { $gt: 0 } } as const;
        const some = await items.find(made, { limit: atOnce, projection: { madeId: 1 } }).toArray();
        if (some.length === 0) break;
        await removeThreads(
          db,
          tenantId,
          some.flatMap(({ madeId }) => madeId ?? []),
        );
        await items.updateMany({ _id: { $in: some.map(({ _id }) => _id) } }, { $set: { madeId: null } });
      }
      await items.updateMany({ importId, wholeKind: 'message', madeId: { $gt: 0 } }, { $set: { madeId: null } });
    },
  };
}

function messageOf(
  r: Restoring,
  data: Whole<'message'>,
  where: Pick<MessageDoc, '_id' | 'threadId' | 'runId'>,
): MessageDoc {
  return {
    ...(storedFields('message', data) as Pick<
      MessageDoc,
      'senderName' | 'content' | 'type' | 'priority' | 'requiresReply'
    >),
    ...where,
    guid: randomUUID(),
    tenantId: r.by.tenantId,
    projectId: r.projectOf(data.project),
    senderId: data.sent ? r.identityId : nobody,
    replyToId: null,
    replyIds: [],
    recipients: data.recipients.map(({ name, isOwn, seen, refused }) => ({
      identityId: isOwn ? r.identityId : nobody,
      identityName: name,
      seen,
      ...(refused !== null && { refused }),
    })),
    key: null,
    createdAt: r.past(data.createdAtUtc),
  };
}

function entryOf(r: Restoring, message: MessageDoc, mailbox: NonNullable<Whole<'message'>['mailbox']>): EntryDoc {
  const { _id: messageId, tenantId, threadId, senderId, type, priority, createdAt } = message;
  const at = (time: string | null) => (time === null ? null : r.past(time));
  const { identityName = '' } = message.recipients.find(({ identityId }) => identityId === r.identityId) ?? {};
  return {
    _id: `${messageId}:${r.identityId}`,
    ...{ tenantId, messageId, threadId, identityId: r.identityId, identityName, senderId, type, priority, createdAt },
    unread: mailbox.unread,
    // Who asked is not here to be answered.
    awaitsReply: false,
    deliveredAt: at(mailbox.deliveredAtUtc),
    readAt: at(mailbox.readAtUtc),
    repliedAt: at(mailbox.repliedAtUtc),
    archivedAt: at(mailbox.archivedAtUtc),
    removedAt: at(mailbox.removedAtUtc),
    rejectedReason: mailbox.rejectedReason,
  };
}
