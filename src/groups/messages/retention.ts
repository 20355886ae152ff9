// How long messages between identities are kept, with what lies of them in mailboxes.
import type { Db } from '../../ports/db.ts';
import { deleteInBatches, pagesOf, type RetentionBase, type RetentionRules } from '../../ports/retention.ts';
import { entrySpec, memberSpec, messageSpec, threadSpec } from './documents.ts';

export const messageRetention = (base: RetentionBase): RetentionRules => ({
  rules: [{ name: 'messages', keptMs: base.kept.messagesMs, prune: (before) => prune(base, before) }],
});

/** Messages by their age, with what lies of them in mailboxes; a thread goes with its last message. */
async function* prune({ db }: RetentionBase, before: number): AsyncGenerator<number> {
  const messages = db.collection(messageSpec);
  const threads = db.collection(threadSpec);
  for await (const page of pagesOf(messages, {})) {
    const old = page.filter((message) => message.createdAt.getTime() < before);
    for (const tenantId of new Set(old.map((message) => message.tenantId))) {
      const ids = old.filter((message) => message.tenantId === tenantId).map(({ _id }) => _id);
      await deleteInBatches(db.collection(entrySpec), { tenantId, messageId: { $in: ids } });
    }
    await messages.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
    yield old.length;
    if (old.length === 0) break;
  }
  for await (const page of pagesOf(threads, { lastMessageAt: { $lt: new Date(before) } })) {
    for (const { _id, tenantId } of page) {
      const isEmpty = !(await messages.findOne({ tenantId, threadId: _id }));
      if (!isEmpty) continue;
      const { deletedCount } = await threads.deleteOne({ _id, lastMessageAt: { $lt: new Date(before) } });
      if (deletedCount > 0) await removeMembers(db, _id);
    }
    yield 0;
  }
}

/** Who takes part in a thread has an entry each, named after both. */
const removeMembers = (db: Db, threadId: number) =>
  deleteInBatches(db.collection(memberSpec), { _id: { $gt: `${threadId}:`, $lt: `${threadId};` } });

/** Deletes threads of a tenant with their messages, wherever these lie; the threads last. */
export async function removeThreads(db: Db, tenantId: number, ids: readonly number[]): Promise<void> {
  for (const threadId of ids) {
    const found = await db
      .collection(messageSpec)
      .find({ tenantId, threadId }, { projection: { _id: 1 } })
      .toArray();
    const messageId = { $in: found.map(({ _id }) => _id) };
    await deleteInBatches(db.collection(entrySpec), { tenantId, messageId });
    await deleteInBatches(db.collection(messageSpec), { tenantId, threadId });
    await removeMembers(db, threadId);
    await db.collection(threadSpec).deleteOne({ _id: threadId, tenantId });
  }
}
