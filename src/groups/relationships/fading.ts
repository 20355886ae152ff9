// Writes down how relationships have faded, once a day, so that lists are in the order of today.
import type { Clock } from '../../kernel/clock.ts';
import type { Collection } from '../../ports/db.ts';
import type { RelationshipDoc } from './record.ts';
import { faded } from './rule.ts';

/** Relationships of one pass, and how stale their scores may become. */
const atOnce = 500;
const staleMs = 86_400_000;

export function createFading({ relationships, clock }: { relationships: Collection<RelationshipDoc>; clock: Clock }) {
  return async (): Promise<void> => {
    const now = clock.now();
    const stale = await relationships
      .find({ scoredAt: { $lt: new Date(now - staleMs) } }, { sort: { scoredAt: 1 }, limit: atOnce })
      .toArray();
    for (const one of stale)
      await relationships.updateOne(
        { _id: one._id, version: one.version },
        { $set: { ...faded(one, now - one.scoredAt.getTime()), scoredAt: new Date(now), version: one.version + 1 } },
      );
  };
}
