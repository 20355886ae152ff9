// How long chats are kept: by the operator's setting, and for a shorter time where a tenant wants that.
import { deleteInBatches, type RetentionBase, type RetentionRules, retentionStep } from '../../ports/retention.ts';
import { receiptRecord } from '../hydration/record.ts';
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
  const old = { ...own, updatedAt: { $lt: before }, generation: null, isPinned: false };
  for (let removed = 1; removed > 0; ) {
    const page = await sessions.find(old, { sort: { updatedAt: 1 }, limit: retentionStep }).toArray();
    removed = 0;
    for (const tenantId of new Set(page.map((session) => session.tenantId))) {
      const ids = page.filter((session) => session.tenantId === tenantId).map(({ _id }) => _id);
      await removeContents({ db, removeTopics, removeCouncilsOf }, tenantId, ids);
      removed += await deleteInBatches(sessions, { _id: { $in: ids }, updatedAt: { $lt: before } });
    }
    yield removed;
  }
}

type Contents = Pick<RetentionBase, 'db' | 'removeTopics' | 'removeCouncilsOf'>;

/** Deletes chats with all that hangs on them; the chats themselves last, so that what a crash leaves is found again. */
export async function removeChats(base: Contents, tenantId: number, ids: readonly number[]): Promise<void> {
  await removeContents(base, tenantId, ids);
  await deleteInBatches(base.db.collection(chatSessionSpec), { tenantId, _id: { $in: [...ids] } });
}

async function removeContents(
  { db, removeTopics, removeCouncilsOf }: Contents,
  tenantId: number,
  ids: readonly number[],
): Promise<void> {
  await deleteInBatches(db.collection(chatMessageSpec), { tenantId, sessionId: { $in: [...ids] } });
  await removeCouncilsOf(ids);
  // A receipt is of a chat and an identity.
  for (const id of ids)
    await deleteInBatches(db.collection(receiptRecord.spec), {
      tenantId,
      key: { $gt: `chat:${id}:`, $lt: `chat:${id};` },
    });
  await removeTopics(
    tenantId,
    ids.map((id) => `chat:${id}`),
  );
}
