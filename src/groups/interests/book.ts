// What an identity cares about: declared topics, and those that its memories are tagged with.
import type { Clock } from '../../kernel/clock.ts';
import { interest } from '../../memory/constants.ts';
import type { Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { type InterestDoc, interestRecord } from './record.ts';

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
}

export const keyOf = (topic: string) => topic.trim().toLowerCase();

export function createInterests(deps: Deps) {
  const { clock } = deps;
  const keeper = createKeeper(interestRecord, deps);

  /** One more mention, or one less: an interest that nothing speaks for is gone. */
  async function mention(tenantId: number, identityId: number, topic: string, by: 1 | -1): Promise<void> {
    const own = { identityId, source: 'Inferred' as const, topicKey: keyOf(topic) };
    const lastReinforcedAt = new Date(clock.now());
    const of = keeper.of(tenantId);
    const changed = await of.findOneAndUpdate(
      own,
      {
        $inc: { mentionCount: by },
        $set: by > 0 ? { lastReinforcedAt, updatedAt: lastReinforcedAt } : { updatedAt: lastReinforcedAt },
      },
      { returnDocument: 'after' },
    );
    if (changed) {
      if (changed.mentionCount <= 0) await of.deleteOne({ ...own, mentionCount: { $lte: 0 } });
      return;
    }
    if (by < 0) return;
    const fresh = { ...own, topic: topic.trim(), weight: 0, mentionCount: 1, notes: null, lastReinforcedAt };
    try {
      await keeper.insert({ tenantId }, fresh);
    } catch (error) {
      // Another node was faster.
      if (isDuplicate(error)) await mention(tenantId, identityId, topic, by);
      else throw error;
    }
  }

  return {
    keeper,
    async mentioned(tenantId: number, identityId: number, topics: readonly string[], by: 1 | -1 = 1): Promise<void> {
      for (const topic of new Set(topics.map(keyOf))) await mention(tenantId, identityId, topic, by);
    },
    /** All of an identity, the strongest first. */
    async of(tenantId: number, identityId: number): Promise<InterestDoc[]> {
      const all = await keeper.of(tenantId).find({ identityId }).toArray();
      const weighed = all.map((one) => ({ ...one, weight: weightOf(one, clock.now()) }));
      return weighed.sort((a, b) => b.weight - a.weight || a._id - b._id);
    },
  };
}
export type Interests = ReturnType<typeof createInterests>;

/** Declared ones weigh what was said; inferred ones grow with each mention, ever less, and fade in between. */
function weightOf({ source, weight, mentionCount, lastReinforcedAt }: InterestDoc, now: number): number {
  if (source === 'Declared') return weight;
  const age = Math.max(0, now - (lastReinforcedAt?.getTime() ?? now));
  return (mentionCount / (mentionCount + interest.half)) * 0.5 ** (age / interest.halfLifeMs);
}
