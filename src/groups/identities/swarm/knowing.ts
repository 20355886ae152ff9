// What an identity remembers, keeps to and cares about, and whom it knows: counts that its summary shows.
import type { Acting } from '../../../auth/acting.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Db } from '../../../ports/db.ts';
import type { Ids } from '../../../ports/ids.ts';
import { visibleTo } from '../../../ports/in-project.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import { createInterests } from '../../interests/book.ts';
import { type MemoryDoc, memoryRecord } from '../../memories/record.ts';
import { relationshipRecord } from '../../relationships/record.ts';
import { type RuleDoc, ruleRecord } from '../../standing-rules/record.ts';

interface Deps {
  db: Db;
  ids: Ids;
  acting: Acting;
  clock: Clock;
}

export type Knowing = ReturnType<typeof createKnowing>;

/** Interests that a card has room for. */
const mostInterests = 5;

export function createKnowing({ db, ids, acting, clock }: Deps) {
  const memories = perTenant(db.collection(memoryRecord.spec));
  const rules = perTenant(db.collection(ruleRecord.spec));
  const relationships = perTenant(db.collection(relationshipRecord.spec));
  const interests = createInterests({ db, ids, clock });
  /** What of it the caller may know of: of an identity that the caller may not act as, memories that it shares alone. */
  return async (caller: Caller, identityId: number) => {
    const { tenantId } = caller;
    const own = await acting.may(caller, identityId);
    const seen = { identityId, archivedAt: null, ...(own ? {} : { isShared: true }), ...visibleTo<MemoryDoc>(caller) };
    const notExpired = { $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date(clock.now()) } }] };
    const holding = { identityId, status: { $in: ['Active', 'UnderReview'] as const }, ...notExpired };
    const [memoryCount, pinnedMemoryCount, standingRuleCount, relationshipCount, topics] = await Promise.all([
      memories(tenantId).countDocuments(seen),
      memories(tenantId).countDocuments({ ...seen, isPinned: true }),
      rules(tenantId).countDocuments({ $and: [holding, visibleTo<RuleDoc>(caller)] } as never),
      relationships(tenantId).countDocuments({ identityId }),
      own ? interests.of(tenantId, identityId) : [],
    ]);
    const topInterests = topics.slice(0, mostInterests).map(({ topic }) => topic);
    return { memoryCount, pinnedMemoryCount, standingRuleCount, topInterests, relationshipCount };
  };
}
