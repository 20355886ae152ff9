// A branch of a chat, read a page at a time: of the other messages only where they stand is looked at.
import { branchOf } from '../../../runtime/chat/branch.ts';
import type { Db } from '../../ports/db.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { type ChatMessageDoc, type ChatSessionDoc, chatMessageSpec, messagesInOrder } from '../chat/documents.ts';

/** Messages that are read at once. */
const pageSize = 200;

export function createShownBranch({ db }: { db: Db }) {
  const messages = perTenant(db.collection(chatMessageSpec));
  /** The shown branch, the one that ends at a message, or all messages, the oldest first. */
  return async function* branch(
    session: ChatSessionDoc,
    which: { end?: number | undefined; all?: boolean | undefined } = {},
  ): AsyncGenerator<ChatMessageDoc> {
    const of = messages(session.tenantId);
    const places: { id: number; parentId: number | null }[] = [];
    // Walked, since all messages at once would be in memory as they are stored.
    const all = of.find({ sessionId: session._id }, { sort: { _id: 1 }, projection: { _id: 1, parentId: 1 } });
    for await (const { _id, parentId } of all) places.push({ id: _id, parentId });
    const shown = which.all ? places : branchOf(places, which.end ?? session.activeMessageId);
    for (let from = 0; from < shown.length; from += pageSize) {
      const ids = shown.slice(from, from + pageSize).map(({ id }) => id);
      yield* await messagesInOrder(of, ids);
    }
  };
}
export type ShownBranch = ReturnType<typeof createShownBranch>;
