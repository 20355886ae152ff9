// Escrow of a tree's pool: the worst case of a call is reserved before it is sent and settled after, each in one write.
import type { EventDraft, RunRecord, Settlement } from '../../records.ts';
import { type Need, type Reservation, refusalOf, reserve, settle, usedPercent } from '../../state/pool.ts';
import type { TreeRecord } from '../../state/tree.ts';
import { commit, commitDeferred, commitOwned } from '../records/commits.ts';
import type { Core, LiveRun } from '../records/core.ts';
import { treeNow } from '../records/known-trees.ts';
import { updateTree } from './trees.ts';

/** Milliseconds that a settlement waits for the next reservation, to share its write. */
const patienceMs = 20;

/** Whether a reservation would succeed now, by this process's latest state. */
export function canReserve(core: Core, live: LiveRun, need: Omit<Need, 'now' | 'runId'>): boolean {
  const tree = treeNow(core, live.run.rootRunId);
  return tree !== undefined && refusalOf(tree, { ...need, runId: live.run.id, now: core.clock.now() }) === null;
}

/** Reserves a call and settles earlier ones; waits while calls in flight may still return tokens. */
export async function reserveCall(
  core: Core,
  live: LiveRun,
  need: Omit<Need, 'now' | 'runId'>,
): Promise<Exclude<Reservation, { ok: false; why: 'wait' }>> {
  for (;;) {
    let answer: Reservation = { ok: false, why: 'stopped', available: 0 };
    await settleWith(core, live, (tree) => {
      answer = reserve(tree, { ...need, runId: live.run.id, now: core.clock.now() });
      return answer.ok ? answer.set : {};
    });
    const given = answer as Reservation;
    if (given.ok || given.why !== 'wait') return given as Exclude<Reservation, { ok: false; why: 'wait' }>;
    await commitDeferred(core, live);
    if (live.unsettled.length > 0) continue;
    // A run that only waits for tokens cannot be the cause of its owners' crashes: the count starts again.
    if (live.run.crashes > 0) await commitOwned(core, live, () => ({ set: { crashes: 0 } }));
    await poolChanged(core, live);
  }
}

/** Resolves when this process changes the tree's pool, or after half a second, since other nodes may change it too. */
async function poolChanged(core: Core, live: LiveRun): Promise<void> {
  const id = live.run.rootRunId;
  const waiters = core.poolWaiters.get(id) ?? new Set();
  core.poolWaiters.set(id, waiters);
  const woken = new AbortController();
  const wake = () => woken.abort();
  waiters.add(wake);
  try {
    await core.clock.sleep(500, AbortSignal.any([live.abort.signal, woken.signal]));
  } catch {
    live.abort.signal.throwIfAborted();
  } finally {
    waiters.delete(wake);
    if (waiters.size === 0) core.poolWaiters.delete(id);
  }
}

/** Settles a call after a moment, or together with the next reservation if that comes first. */
export function settleLater(core: Core, live: LiveRun, settlement: Settlement): void {
  live.unsettled.push(settlement);
  const { rootRunId } = live.run;
  core.owed.set(rootRunId, new Map(core.owed.get(rootRunId)).set(settlement.callId, settlement));
  core.clock.after(patienceMs, () => {
    if (live.unsettled.includes(settlement)) void settleNow(core, live);
  });
}

/** Settles the rest now; after a failure the repair pass continues, since the run's record names its settlements. */
export async function settleNow(core: Core, live: LiveRun): Promise<void> {
  if (live.unsettled.length === 0) return;
  await settleWith(core, live, () => ({})).catch((error) =>
    core.log.warn({ err: error, runId: live.run.id }, 'a settlement is left to repair'),
  );
}

async function settleWith(core: Core, live: LiveRun, also: (tree: TreeRecord) => Partial<TreeRecord>): Promise<void> {
  const due = [...live.unsettled];
  await applySettlements(core, live.run, due, also);
  live.unsettled = live.unsettled.filter((one) => !due.includes(one));
  const { rootRunId } = live.run;
  const left = new Map(core.owed.get(rootRunId));
  for (const { callId } of due) {
    live.settled.add(callId);
    left.delete(callId);
  }
  if (left.size > 0) core.owed.set(rootRunId, left);
  else core.owed.delete(rootRunId);
}

/**
 * Makes the settlements that the run's record names; each counts once, however often this is called. Answers their calls.
 */
export async function makeSettlements(core: Core, run: RunRecord): Promise<ReadonlySet<string>> {
  const { settlements } = run;
  if (settlements.length > 0) await applySettlements(core, run, settlements, () => ({}));
  return new Set(settlements.map(({ callId }) => callId));
}

/**
 * Change that writes off calls which died with their owner: their true cost is unknown, so their reservation is
 * charged,
 * or nothing when they were reserved but never sent.
 */
export function writeOff(run: RunRecord, tree: TreeRecord): Partial<RunRecord> | null {
  const lost = Object.entries(tree.holds)
    .filter(([id, hold]) => hold.runId === run.id && !run.settlements.some((one) => one.callId === id))
    .map(([callId, hold]) => {
      const wasSent = run.modelCall?.id === callId || callId.startsWith('aux:');
      return { callId, tokens: 0, costUsd: 0, writtenOff: wasSent ? hold.tokens : 0, countIteration: false };
    });
  if (lost.length === 0 && run.modelCall === null) return null;
  return {
    modelCall: null,
    writtenOffTokens: run.writtenOffTokens + lost.reduce((sum, one) => sum + one.writtenOff, 0),
    settlements: [...run.settlements, ...lost],
  };
}

/** Settles and makes another change in one write. Warns at 75 and 90 % of the pool. */
async function applySettlements(
  core: Core,
  run: RunRecord,
  settlements: readonly Settlement[],
  also: (tree: TreeRecord) => Partial<TreeRecord>,
): Promise<void> {
  let warning: EventDraft | null = null;
  await updateTree(core, run.rootRunId, (now) => {
    let set: Partial<TreeRecord> = settle(now, settlements) ?? {};
    warning = warningOf({ ...now, ...set });
    if (warning) set.warned = [...now.warned, markOf({ ...now, ...set })!];
    set = { ...set, ...also({ ...now, ...set }) };
    return Object.keys(set).length > 0 ? set : null;
  });
  if (warning) await commit(core, run.rootRunId, () => ({ events: [warning as EventDraft] }));
}

function markOf(tree: TreeRecord): string | null {
  const percent = usedPercent(tree);
  return percent >= 90 ? '90' : percent >= 75 ? '75' : null;
}

function warningOf(tree: TreeRecord): EventDraft | null {
  const mark = markOf(tree);
  if (!mark || tree.warned.includes(mark)) return null;
  return {
    type: 'BudgetWarning',
    level: 'Warning',
    title: `${mark} % of the tree's pool is used`,
    payload: { budget: 'pool', percent: Math.floor(usedPercent(tree)) },
  };
}
