// Tells an identity, and the person behind it, of each hint whose time has come: once, whatever the number of nodes.
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Collection } from '../../../ports/db.ts';
import { type Publisher, personalTopic } from '../../../ports/stream.ts';
import type { HintDoc } from './record.ts';
import { toHintDto } from './service.ts';

interface Deps {
  hints: Collection<HintDoc>;
  identities: Collection<IdentityDoc>;
  publisher: Publisher;
  clock: Clock;
}

/** Hints of one pass; the rest come with the next. */
const atOnce = 200;
/** Hints that became due longer ago than this are only in the list: the server was down then. */
const lateMs = 86_400_000;

export function createReminders({ hints, identities, publisher, clock }: Deps) {
  const tell = async (hint: HintDoc) => {
    const { _id, tenantId, identityId, triggerAt, toldFor } = hint;
    // Who writes this first tells it.
    const mine = await hints.updateOne({ _id, tenantId, triggerAt, toldFor }, { $set: { toldFor: triggerAt } });
    const identity =
      mine.matchedCount > 0 && (await identities.findOne({ _id: identityId, tenantId, deletedAt: null }));
    if (!identity) return;
    const topics = [
      `identity:${identityId}`,
      personalTopic('me', { identityId }),
      personalTopic('me', { userId: identity.userId }),
    ];
    await publisher.publish({ tenantId, topics, type: 'hint.due', data: toHintDto(hint) });
  };

  return async (): Promise<void> => {
    const now = clock.now();
    const due = await hints
      .find(
        { open: true, triggerAt: { $gt: new Date(now - lateMs), $lte: new Date(now) } },
        { sort: { triggerAt: 1 }, limit: 5 * atOnce },
      )
      .toArray();
    const news = due.filter(({ triggerAt, toldFor }) => toldFor?.getTime() !== triggerAt?.getTime());
    for (const hint of news.slice(0, atOnce)) await tell(hint);
  };
}
