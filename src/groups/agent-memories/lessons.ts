// The documents of agent memories with their indexes, and what becomes of them by the ends of the runs that used them.
import type { ReinforcementOutcome } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { endsAt, unexpired } from '../../memory/expiry.ts';
import { createFinder } from '../../memory/finder.ts';
import { reworded, unindexed } from '../../memory/kinds.ts';
import type { Indexes } from '../../memory/ports.ts';
import { usefulnessOf } from '../../memory/usefulness.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { By, Keeper } from '../../ports/keeper.ts';
import { isMarked, ownMark } from '../../ports/once.ts';
import type { Draft } from '../../ports/record.ts';
import { type AgentMemoryDoc, lessonKind, type UseDoc } from './record.ts';

export interface LessonDeps {
  lessons: Keeper<AgentMemoryDoc>;
  uses: Keeper<UseDoc>;
  indexes: Indexes;
  clock: Clock;
}

type Own =
  | 'marks'
  | 'endsAt'
  | 'pending'
  | 'revision'
  | 'embeddingModel'
  | 'usefulness'
  | 'helpedCount'
  | 'hurtCount'
  | 'useCount';
export type NewLesson = Omit<Draft<AgentMemoryDoc>, Own | 'lastUsedAt'>;

/** What is counted of a lesson, before anybody has used it. */
const unused = { helpedCount: 0, hurtCount: 0, useCount: 0, lastUsedAt: null };

export function createLessons({ lessons, uses, indexes, clock }: LessonDeps) {
  const finder = createFinder<AgentMemoryDoc>({ ...indexes, clock }, lessonKind);

  /** Notes that a run has the memory before it; false where that was known. */
  async function noteUse(by: By, memoryId: number, runId: number, outcome: UseDoc['outcome']): Promise<boolean> {
    try {
      await uses.insert(by, { memoryId, runId, outcome });
      return true;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return false;
    }
  }

  async function count(by: By, id: number, outcome: ReinforcementOutcome): Promise<AgentMemoryDoc> {
    const counted = (old: AgentMemoryDoc) => {
      if (isMarked(old)) return {};
      const helpedCount = old.helpedCount + (outcome === 'Helped' ? 1 : 0);
      const hurtCount = old.hurtCount + (outcome === 'Hurt' ? 1 : 0);
      return { ...ownMark(old), helpedCount, hurtCount, usefulness: usefulnessOf({ ...old, helpedCount, hurtCount }) };
    };
    return lessons.change(by, id, counted, { expecting: ['helpedCount', 'hurtCount'] });
  }

  return {
    finder,
    open: () => unexpired<AgentMemoryDoc>(clock.now()),
    draft: (fresh: NewLesson): Draft<AgentMemoryDoc> => ({
      ...fresh,
      ...unindexed,
      endsAt: endsAt(fresh.expiresAt),
      marks: [],
      ...unused,
      usefulness: usefulnessOf({ confidence: fresh.confidence, helpedCount: 0, hurtCount: 0 }),
    }),
    /** What follows from a change of fields. */
    changed: (old: AgentMemoryDoc, fields: Partial<AgentMemoryDoc>): Partial<AgentMemoryDoc> => ({
      ...fields,
      ...(fields.title === undefined && fields.content === undefined ? {} : reworded(old)),
      ...(fields.expiresAt === undefined ? {} : { endsAt: endsAt(fields.expiresAt) }),
      ...(fields.confidence === undefined ? {} : { usefulness: usefulnessOf({ ...old, ...fields }) }),
    }),
    /** A run is told of memories: each counts one use a run. */
    async told(by: By, runId: number, memories: readonly AgentMemoryDoc[]): Promise<void> {
      const memoryIds = memories.map(({ _id }) => _id);
      // Asked at every turn of the run: most are known.
      const noted = await uses
        .of(by.tenantId)
        .find({ runId, memoryId: { $in: memoryIds } })
        .toArray();
      const known = new Set(noted.map(({ memoryId }) => memoryId));
      for (const _id of memoryIds)
        if (!known.has(_id) && (await noteUse(by, _id, runId, null))) {
          const used = (old: AgentMemoryDoc) => ({ useCount: old.useCount + 1, lastUsedAt: new Date(clock.now()) });
          await lessons.change(by, _id, used, { expecting: ['useCount'] });
        }
    },
    /** Somebody says how it was, or a run's end does; of one run only the first word counts. */
    async reinforce(by: By, id: number, outcome: ReinforcementOutcome, runId: number | null): Promise<AgentMemoryDoc> {
      if (runId === null || (await noteUse(by, id, runId, outcome))) return count(by, id, outcome);
      const open = { memoryId: id, runId, outcome: null };
      const { matchedCount } = await uses.of(by.tenantId).updateOne(open, { $set: { outcome } });
      return matchedCount > 0 ? count(by, id, outcome) : lessons.get(by, id);
    },
    async forget(by: By, ids: readonly number[]): Promise<void> {
      await finder.forget(by.tenantId, ids);
      await uses.of(by.tenantId).deleteMany({ memoryId: { $in: [...ids] } });
      await indexes.scrub?.();
    },
  };
}
export type Lessons = ReturnType<typeof createLessons>;
