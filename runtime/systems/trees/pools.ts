// Changes of a tree's pool in use, and of a run's own limits.
import { Fault } from '../../../src/kernel/fault.ts';
import type { EventDraft, RunRecord, RunSpec } from '../../records.ts';
import { requireEnvironment } from '../../state/environment.ts';
import { descendants, heldIn, least } from '../../state/pool.ts';
import { hasEnded, moveRun, refusal, requireOwn } from '../../state/run.ts';
import { refusalToGoOn } from '../../state/spent.ts';
import type { TreeRecord } from '../../state/tree.ts';
import { commit } from '../records/commits.ts';
import type { Core } from '../records/core.ts';
import { runOf } from '../records/find-run.ts';
import { asAsked, type Keyed, wasAsked } from '../records/keyed-commands.ts';
import { updateTree } from './trees.ts';

export interface PoolChange extends Keyed {
  addIterations?: number | null;
  addTokens?: number | null;
  /** US dollars to add; without effect on a tree that has no cost limit. */
  addCostUsd?: number | null;
  poolIterationBudget?: number | null;
  poolTokenBudget?: number | null;
  poolCostBudgetUsd?: number | null;
  treeDeadlineAt?: number | null;
  /** True to resume runs that wait for budget. */
  resume?: boolean;
}

/**
 * Tops up or sets the pool of the run's tree, never below what is used and reserved. Where the run has spent a limit of
 * its own, the amount raises that limit as well; with `resume` it must be enough to continue.
 */
export async function changePool(core: Core, runId: number, change: PoolChange): Promise<RunRecord> {
  const run = await runOf(core, runId);
  const root = await runOf(core, run.rootRunId);
  if (wasAsked(root, change)) return run;
  const own = ownTopUp(run, change);
  const limits = await core.limits?.of(run);
  const tree = await updateTree(core, run.rootRunId, (now) => {
    const asked = poolOnce(now, change);
    const costBudgetUsd = least(asked.costBudgetUsd ?? now.costBudgetUsd, limits?.maxRunCostUsd ?? null);
    const pool = { ...asked, costBudgetUsd };
    const tooLittle = change.resume && refusalToGoOn({ ...run, ...own }, { ...now, ...pool });
    // Nothing is changed yet, so the refusal counts what is missing by the limits as they are.
    if (tooLittle) throw refusalToGoOn(run, now) ?? tooLittle;
    return pool;
  });
  if (own) await raiseOwn(core, runId, change);
  if (change.treeDeadlineAt !== undefined && tree) await moveDeadline(core, tree, change.treeDeadlineAt);
  await commit(core, run.rootRunId, (now) =>
    asAsked(now, change, {
      events: [
        {
          type: 'PoolChanged',
          title: 'Pool changed',
          payload: { iterationBudget: tree?.iterationBudget, tokenBudget: tree?.tokenBudget },
        },
      ],
    }),
  );
  if (change.resume && tree) await wakeExhausted(core, tree);
  return runOf(core, runId);
}

/** Top-up of the run's own limit, where that is the spent one. */
function ownTopUp(run: RunRecord, { addTokens, addIterations }: PoolChange): Partial<RunRecord> | null {
  if (run.status !== 'BudgetExhausted') return null;
  if (run.spentLimit?.limit === 'maxTokens' && addTokens) return { maxTokens: run.maxTokens + addTokens };
  if (run.spentLimit?.limit !== 'maxIterations' || !addIterations) return null;
  return { maxIterations: Math.min(run.maxIterations + addIterations, run.hardIterationCap) };
}

const raiseOwn = (core: Core, runId: number, change: PoolChange) =>
  commit(core, runId, (now) => {
    const set = ownTopUp(now, change);
    // The mark of the whole change is written last, on the root, which may be this run.
    const asked = { key: change.key == null ? null : `${change.key} own` };
    if (!set || wasAsked(now, asked)) return null;
    const events: EventDraft[] = [{ type: 'PoolChanged', title: 'Limit raised', payload: set }];
    return asAsked(now, asked, { set: { ...set, warned: [] }, events });
  });

/** Limit of remembered keys: many more than pool changes in flight. */
const keysKept = 32;

/** A pool change; none when the tree has its key already. */
function poolOnce(tree: TreeRecord, change: PoolChange): Partial<TreeRecord> {
  const { key } = change;
  if (key == null) return poolOf(tree, change);
  const asked = tree.asked ?? [];
  return asked.includes(key) ? { asked } : { ...poolOf(tree, change), asked: [...asked, key].slice(-keysKept) };
}

function poolOf(tree: TreeRecord, change: PoolChange): Partial<TreeRecord> {
  const iterationBudget = (change.poolIterationBudget ?? tree.iterationBudget) + (change.addIterations ?? 0);
  const tokenBudget = (change.poolTokenBudget ?? tree.tokenBudget) + (change.addTokens ?? 0);
  const limitUsd = change.poolCostBudgetUsd === undefined ? tree.costBudgetUsd : change.poolCostBudgetUsd;
  const costBudgetUsd = limitUsd === null ? null : limitUsd + (change.addCostUsd ?? 0);
  const held = heldIn(tree);
  const isTooSmall =
    tokenBudget < tree.tokensUsed + held.tokens ||
    iterationBudget < tree.iterationsUsed ||
    (change.poolCostBudgetUsd != null && change.poolCostBudgetUsd < tree.costUsd + held.costUsd);
  if (isTooSmall) {
    const used = `${tree.iterationsUsed} turns, ${tree.tokensUsed} tokens and $${tree.costUsd}`;
    throw new Fault('VALIDATION_FAILED', 'The pool cannot be smaller than what is used and reserved already.', {
      hint: `Used: ${used}; reserved: ${held.tokens} tokens and $${held.costUsd}.`,
    });
  }
  return {
    iterationBudget,
    tokenBudget,
    warned: [],
    costBudgetUsd,
    ...(change.treeDeadlineAt === undefined ? {} : { deadlineAt: change.treeDeadlineAt }),
  };
}

async function moveDeadline(core: Core, tree: TreeRecord, treeDeadlineAt: number | null): Promise<void> {
  for (const [id] of tree.members) {
    await commit(core, id, (run) => {
      if (hasEnded(run.status)) return null;
      return { set: { treeDeadlineAt } };
    });
  }
}

async function wakeExhausted(core: Core, tree: TreeRecord): Promise<void> {
  for (const id of descendants(tree, tree.id)) {
    if (tree.members.get(id)?.ended) continue;
    const committed = await commit(core, id, (run) => {
      if (run.status !== 'BudgetExhausted' || refusalToGoOn(run, tree)) return null;
      return moveRun(run, 'top-up', { now: core.clock.now() });
    });
    if (committed) core.wake(committed.run);
  }
}

export type RunPatch = Partial<RunSpec> & {
  progressSummary?: string | null;
  poolIterationBudget?: number;
  poolTokenBudget?: number;
  treeDeadlineAt?: number | null;
};

/** Changes fields of a run that has not ended; a running one sees them at its next turn. */
export async function patchRun(core: Core, runId: number, patch: RunPatch): Promise<RunRecord> {
  const { poolIterationBudget, poolTokenBudget, treeDeadlineAt, ...fields } = patch;
  requireEnvironment(fields.environmentJson);
  const run = await runOf(core, runId);
  requireOwn(run, 'be changed');
  if (hasEnded(run.status) && Object.keys(fields).some((key) => key.startsWith('max')))
    throw refusal(run, 'change its limits');
  if (poolIterationBudget !== undefined || poolTokenBudget !== undefined || treeDeadlineAt !== undefined) {
    await changePool(core, runId, {
      ...(poolIterationBudget === undefined ? {} : { poolIterationBudget }),
      ...(poolTokenBudget === undefined ? {} : { poolTokenBudget }),
      ...(treeDeadlineAt === undefined ? {} : { treeDeadlineAt }),
    });
  }
  if (Object.keys(fields).length === 0) return runOf(core, runId);
  const limits = await core.limits?.of(run);
  const committed = await commit(core, runId, (now) => {
    const next = { ...now, ...fields };
    const maxIterations = Math.min(next.maxIterations, next.hardIterationCap);
    const maxWallClockMs = Math.min(next.maxWallClockMs, limits?.maxRunWallClockMs ?? next.maxWallClockMs);
    return { set: { ...fields, maxIterations, maxWallClockMs } };
  });
  return committed!.run;
}
