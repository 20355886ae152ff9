// Spawn trees in the store: reservations and settlements in the shared pool, membership, activity.
import { Fault } from '../../src/kernel/fault.ts';
import type { EventDraft, RunRecord, Settlement, TreeMember, TreeRecord } from '../records.ts';
import { changeMembers, isQuiet, type Need, type Reservation, reserve, rollUp, settle } from '../state/pool.ts';
import { hasEnded } from '../state/run.ts';
import type { Bag, LiveRun } from './bag.ts';
import { commit } from './commits.ts';

/** The tree of a root run. */
export async function treeOf(bag: Bag, rootRunId: number): Promise<TreeRecord> {
  const tree = await bag.store.trees.get(rootRunId);
  if (!tree)
    throw new Fault('NOT_FOUND', `There is no run tree ${rootRunId}.`, {
      hint: 'List runs with GET /api/agent/runs?rootsOnly=true.',
    });
  remember(bag, tree);
  return tree;
}

/** Keeps the newest state of a tree for views. */
export function remember(bag: Bag, tree: TreeRecord): void {
  const known = bag.trees.get(tree.id);
  if (!known || known.version < tree.version) bag.trees.set(tree.id, tree);
}

/** Changes a tree atomically; null when `decide` returned null. */
export function updateTree(
  bag: Bag,
  rootRunId: number,
  decide: (now: TreeRecord) => Partial<TreeRecord> | null,
): Promise<TreeRecord | null> {
  return bag.serial(`tree:${rootRunId}`, async () => {
    let quietBefore: number | null = null;
    const tree = await bag.store.trees.update(
      rootRunId,
      (now) => {
        quietBefore = now.quiescedAt;
        const set = decide(now);
        if (!set?.members) return set;
        const quiescedAt = isQuiet({ ...now, ...set }) ? (now.quiescedAt ?? bag.clock.now()) : null;
        return { ...set, quiescedAt };
      },
      bag.trees.get(rootRunId),
    );
    if (!tree) return null;
    remember(bag, tree);
    if (tree.quiescedAt !== null && quietBefore === null) emitQuiesced(bag, tree, false);
    for (const wake of bag.poolWaiters.get(rootRunId) ?? []) wake();
    return tree;
  });
}

/** A run at rest is not at work any more, and an ended one never again. Safe to repeat: the tree's silence is told. */
export async function leaveTree(bag: Bag, run: RunRecord): Promise<void> {
  const ended = hasEnded(run.status);
  const changed = await updateMember(bag, run, (member) =>
    member.active || member.ended !== ended ? { active: false, ended } : null,
  );
  if (changed || !run.unfinished || (!ended && run.status !== 'Paused')) return;
  const tree = await bag.store.trees.get(run.rootRunId);
  if (tree && tree.quiescedAt !== null) emitQuiesced(bag, tree, true);
}

function emitQuiesced(bag: Bag, tree: TreeRecord, again: boolean): void {
  const total = rollUp(tree, tree.id);
  const data = {
    rootRunId: tree.id,
    runCount: total.runs,
    totalTokens: total.tokens,
    totalCostUsd: total.costUsd,
    atUtc: new Date(tree.quiescedAt ?? bag.clock.now()).toISOString(),
  };
  bag.sink
    .publish([
      {
        tenantId: tree.tenantId,
        topics: ['runs', `run-tree:${tree.id}`],
        type: 'tree.quiesced',
        data,
        durable: true,
        key: `tree.quiesced:${tree.id}:${tree.quiescedAt}`,
        ...(again ? { again } : {}),
      },
    ])
    ?.catch((error) => bag.log.warn({ err: error }, 'tree.quiesced was not published'));
}

/** Changes one member. */
export const updateMember = (
  bag: Bag,
  run: Pick<RunRecord, 'id' | 'rootRunId'>,
  change: (member: TreeMember) => Partial<TreeMember> | null,
) =>
  updateTree(bag, run.rootRunId, (tree) => {
    const members = changeMembers(tree, [run.id], change);
    return members && { members };
  });

/** Reserves a call in the pool, waiting while calls in flight may still give something back. */
export async function reserveCall(
  bag: Bag,
  live: LiveRun,
  need: Omit<Need, 'now' | 'runId'>,
): Promise<Exclude<Reservation, { ok: false; why: 'wait' }>> {
  for (;;) {
    let answer: Reservation = { ok: false, why: 'stopped', available: 0 };
    await updateTree(bag, live.run.rootRunId, (tree) => {
      answer = reserve(tree, { ...need, runId: live.run.id, now: bag.clock.now() });
      return answer.ok && Object.keys(answer.set).length > 0 ? answer.set : null;
    });
    const given = answer as Reservation;
    if (given.ok || given.why !== 'wait') return given as Exclude<Reservation, { ok: false; why: 'wait' }>;
    await poolChanged(bag, live);
  }
}

/** Resolves when the tree's pool changed in this process, or after half a second, since others may change it too. */
async function poolChanged(bag: Bag, live: LiveRun): Promise<void> {
  const id = live.run.rootRunId;
  const waiters = bag.poolWaiters.get(id) ?? new Set();
  bag.poolWaiters.set(id, waiters);
  const woken = new AbortController();
  const wake = () => woken.abort();
  waiters.add(wake);
  try {
    await bag.clock.sleep(500, AbortSignal.any([live.abort.signal, woken.signal]));
  } catch {
    live.abort.signal.throwIfAborted();
  } finally {
    waiters.delete(wake);
    if (waiters.size === 0) bag.poolWaiters.delete(id);
  }
}

/** Makes settlements in the pool; each counts once however often this is called. Warns at 75 and 90 %. */
export async function makeSettlements(bag: Bag, run: RunRecord, settlements: readonly Settlement[]): Promise<void> {
  if (settlements.length === 0) return;
  let warning: EventDraft | null = null;
  await updateTree(bag, run.rootRunId, (now) => {
    warning = null;
    let tree = now;
    for (const settlement of settlements) tree = { ...tree, ...settle(tree, settlement) };
    if (tree === now) return null;
    const { version: _v, id: _i, tenantId: _t, ...set } = tree;
    const percent = poolPercent(tree);
    const mark = percent >= 90 ? '90' : percent >= 75 ? '75' : null;
    if (mark && !tree.warned.includes(mark)) {
      warning = {
        type: 'BudgetWarning',
        level: 'Warning',
        title: `${mark} % of the tree's pool is used`,
        payload: { budget: 'pool', percent: Math.floor(percent) },
      };
      set.warned = [...tree.warned, mark];
    }
    return set;
  });
  if (warning) await commit(bag, run.rootRunId, () => ({ events: [warning as EventDraft] }));
}

const poolPercent = (tree: TreeRecord) =>
  100 *
  Math.max(
    tree.tokensUsed / tree.tokenBudget,
    tree.iterationsUsed / tree.iterationBudget,
    tree.costBudgetUsd ? tree.costUsd / tree.costBudgetUsd : 0,
  );

/** Settles in the pool while the run goes on; the next call waits for it. */
export function settleLater(bag: Bag, live: LiveRun, settlement: Settlement): void {
  live.settling = live.settling
    .then(() => makeSettlements(bag, live.run, [settlement]))
    .then(
      () => void live.settled.add(settlement.callId),
      (error) => bag.log.warn({ err: error, runId: live.run.id }, 'a settlement is left to repair'),
    );
}
