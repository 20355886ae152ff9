// How long chats are kept: by the operator's setting, and for a shorter time where a tenant wants that.
import { deleteInBatches, type RetentionBase, type RetentionRules, retentionStep } from '../../ports/retention.ts';
import { chatMessageSpec, chatSessionSpec } from './documents.ts';

export const chatRetention = (base: RetentionBase): RetentionRules => ({
  rules: [{ name: 'chats', keptMs: base.kept.chatsMs, prune: (before) => pruneChats(base, before) }],
  ofTenants: [
    {
      name: 'chats, by tenants',
      daysOf: ({ chatRetentionDays }) => chatRetentionDays,
      prune: (before, tenantId) => pruneChats(base, before, { tenantId }),
    },
  ],
});

/** Chats that nobody touched for that long; what is pinned stays. */
export async function* pruneChats(
  { db, removeTopics, removeCouncilsOf }: RetentionBase,
  before: number,
  own: { tenantId?: number; clientId?: string } = {},
): AsyncGenerator<number> {
  const sessions = db.collection(chatSessionSpec);
  const messages = db.collection(chatMessageSpec);
  const old = { ...own, updatedAt: { $lt: before }, generation: null, isPinned: false };
  for (let removed = 1; removed > 0; ) {
    const page = await sessions.find(old, { sort: { updatedAt: 1 }, limit: retentionStep }).toArray();
    removed = 0;
    for (const tenantId of new Set(page.map((session) => session.tenantId))) {
      const ids = page.filter((session) => session.tenantId === tenantId).map(({ _id }) => _id);
      await deleteInBatches(messages, { tenantId, sessionId: { $in: ids } });
      await removeCouncilsOf(ids);
      await removeTopics(
        tenantId,
        ids.map((id) => `chat:${id}`),
      );
      removed += await deleteInBatches(sessions, { _id: { $in: ids }, updatedAt: { $lt: before } });
    }
    yield removed;
  }
}
