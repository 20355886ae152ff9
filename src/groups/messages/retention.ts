// How long messages between identities are kept, with what lies of them in mailboxes.
import { deleteInBatches, pagesOf, type RetentionBase, type RetentionRules } from '../../ports/retention.ts';
import { entrySpec, messageSpec, threadSpec } from './documents.ts';

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
      if (isEmpty) await threads.deleteOne({ _id, lastMessageAt: { $lt: new Date(before) } });
    }
    yield 0;
  }
}
