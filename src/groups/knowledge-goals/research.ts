// Research on knowledge goals: a run takes one, says with reasons what is known, and its end frees the goal.
import type { RunRecord } from '../../../runtime/records.ts';
import { hasEnded } from '../../../runtime/state/run.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Db, Filter } from '../../ports/db.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { polled } from '../../ports/polled.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { MemoryDoc } from '../memories/record.ts';
import { type GoalDoc, goalRecord } from './record.ts';

interface Deps {
  db: Db;
  goals: Keeper<GoalDoc>;
  memories: PerTenant<MemoryDoc>;
  findRun(id: number): Promise<Pick<RunRecord, 'status'> | null>;
  clock: Clock;
}

/** The knowledge level at which a goal counts as learned, and steps of a goal that are kept. */
export const learnedAt = 0.9;
const mostSteps = 100;
const batch = 200;

interface Raise {
  tenantId: number;
  runId: number;
  goalId: number;
  knowledgeLevel: number;
  reason: string;
  memoryIds: number[];
  /** The same for every attempt of one call. */
  key: string;
}

/** The most important first, of those what least is known of, of those what was researched least, then the oldest. */
const nextOrder = { priority: -1, knowledgeLevel: 1, researchRunCount: 1, _id: 1 } as const;

/** The active goal to research next; null where there is none. */
export const nextGoal = (goals: Keeper<GoalDoc>, tenantId: number, wanted: Filter<GoalDoc>): Promise<GoalDoc | null> =>
  goals.of(tenantId).findOne({ ...wanted, status: 'Active' } as Filter<GoalDoc>, { sort: nextOrder });

export function createResearch({ db, goals, memories, findRun, clock }: Deps) {
  /** Takes a goal for a run; the one that it has already, where it has one. Null where there is none. */
  async function take(tenantId: number, runId: number, wanted: Filter<GoalDoc>): Promise<GoalDoc | null> {
    const held = await goals.of(tenantId).findOne({ researchRunId: runId, status: 'Researching' });
    if (held) return held;
    for (;;) {
      const next = await nextGoal(goals, tenantId, wanted);
      if (!next) return null;
      const taken = await goals.change(
        { tenantId },
        next._id,
        ({ status }) => (status === 'Active' ? { status: 'Researching', researchRunId: runId } : {}),
        { expecting: ['status'] },
      );
      // Another run was faster: the next one is asked for.
      if (taken.researchRunId === runId) return taken;
    }
  }

  /** Raises what is known, grounded in what the run has written. @throws Fault NOT_FOUND, VALIDATION_FAILED, CONFLICT */
  async function raise({ tenantId, runId, goalId, knowledgeLevel, reason, memoryIds, key }: Raise): Promise<GoalDoc> {
    const written = await memories(tenantId)
      .find({ _id: { $in: memoryIds }, sourceRunId: runId })
      .toArray();
    if (written.length < new Set(memoryIds).size)
      throw new Fault('VALIDATION_FAILED', 'Some of these memories were not written by this run.', {
        hint: 'Write what you found with memory_create, and name the ids that it gave you.',
      });
    const step = { runId, reason, memoryIds, at: new Date(clock.now()), key };
    return goals.change(
      { tenantId },
      goalId,
      (goal) => {
        const { steps = [], knowledgeLevel: from } = goal;
        if (steps.some((one) => one.key === key)) return {};
        if (goal.researchRunId !== runId)
          throw new Fault('CONFLICT', `This run does not research knowledge goal ${goalId}.`, {
            hint: 'Take a goal with goal_next first.',
          });
        if (knowledgeLevel <= from)
          throw new Fault('VALIDATION_FAILED', `It is ${from} known already.`, {
            hint: 'Name a higher level, or none.',
          });
        return { knowledgeLevel, steps: [...steps, { ...step, from, to: knowledgeLevel }].slice(-mostSteps) };
      },
      { expecting: ['knowledgeLevel', 'researchRunId'] },
    );
  }

  return { take, raise, settle: createSettling({ db, goals, findRun, clock }) };
}
export type Research = ReturnType<typeof createResearch>;

/** Frees the goals of runs that have ended, each once: the run is counted, and what is known well enough is learned. */
function createSettling({ db, goals, findRun, clock }: Omit<Deps, 'memories'>) {
  const all = db.collection(goalRecord.spec);

  async function settleOne({ _id, tenantId, researchRunId = 0 }: GoalDoc): Promise<void> {
    const run = await findRun(researchRunId);
    if (run && !hasEnded(run.status)) return;
    const free = (goal: GoalDoc): Partial<GoalDoc> => {
      if (goal.researchRunId !== researchRunId) return {};
      if (goal.status !== 'Researching') return { researchRunId: 0 };
      return {
        researchRunId: 0,
        status: goal.knowledgeLevel >= learnedAt ? 'Learned' : 'Active',
        researchRunCount: goal.researchRunCount + 1,
        lastResearchedAt: new Date(clock.now()),
      };
    };
    // Removed meanwhile: nothing is left to free.
    await goals.change({ tenantId }, _id, free, { expecting: ['researchRunId', 'status'] }).catch((error: unknown) => {
      if (!(error instanceof Fault) || error.code !== 'NOT_FOUND') throw error;
    });
  }

  const findHeld = polled(
    all,
    (after: number) =>
      all
        .find({ researchRunId: { $gt: 0 }, _id: { $gt: after } } as Filter<GoalDoc>, { sort: { _id: 1 }, limit: batch })
        .toArray(),
    { researchRunId: { $gt: 0 } },
  );
  return async function settle(): Promise<void> {
    for (let after = 0; ; ) {
      const held = await findHeld(after);
      for (const goal of held) await settleOne(goal);
      if (held.length < batch) return;
      after = held.at(-1)?._id ?? after;
    }
  };
}
