// Duties of a run at its end or rest, and requests that stop it: each may be repeated at any time.

import type { RunChange } from '../../ports.ts';
import type { Duty, EventDraft, RunRecord } from '../../records.ts';
import { hasMark, withMarks } from '../../state/marks.ts';
import type { TreeMember } from '../../state/members.ts';
import { changeMembers, descendants } from '../../state/pool.ts';
import { hasEnded, isPastDeadline, moveRun, nextStatus } from '../../state/run.ts';
import type { StopRound } from '../../state/tree.ts';
import { commit } from '../records/commits.ts';
import type { Core } from '../records/core.ts';
import { withdrawEscalations } from '../records/escalation-records.ts';
import { remember } from '../records/known-trees.ts';
import { leaveTree, updateTree } from '../trees/trees.ts';
import { deadlineReason } from './endings.ts';
import { handedOver, handOver } from './handover.ts';
import { wakeIfMet } from './joins.ts';

const none: ReadonlySet<string> = new Set();

/**
 * Performs the duties of a run without a lease. Safe to repeat at any time.
 *
 * @param settled calls whose settlements are made, which the run's record need not name any more
 */
export async function settleDuties(core: Core, run: RunRecord, settled = none): Promise<void> {
  if (run.status === 'Paused') await leaveTree(core, run);
  for (const duty of run.duties) if ((await perform(core, run, duty)) === 'not-yet') return;
  const done = run.duties;
  const committed = await commit(core, run.id, (now) => {
    if (now.owner !== null || now.restarts !== run.restarts) return null;
    const duties = now.duties.filter((duty) => !done.includes(duty));
    const settlements = now.settlements.filter(({ callId }) => !settled.has(callId));
    const published = Math.max(now.publishedSeq, core.published.get(now.id) ?? 0);
    const unfinished = duties.length > 0 || settlements.length > 0 || published < now.eventCount;
    return { set: { duties, unfinished, ...(settlements.length < now.settlements.length && { settlements }) } };
  });
  if (!committed || committed.run.unfinished) return;
  core.told.delete(run.id);
  core.published.delete(run.id);
}

function perform(core: Core, run: RunRecord, duty: Duty): Promise<unknown> {
  switch (duty) {
    case 'stop-children':
      return stopChildren(core, run);
    case 'leave-tree':
      return leaveTree(core, run);
    case 'hand-over':
      return handOver(core, run);
    case 'deliver-result':
      return deliverResult(core, run);
    case 'pass-exhaustion':
      return passExhaustion(core, run);
    case 'withdraw-escalations':
      return withdrawEscalations(core, run);
    default:
      return duty satisfies never;
  }
}

/** Children of an ended run are cancelled: no run waits for their results. */
async function stopChildren(core: Core, run: RunRecord): Promise<void> {
  const stop = (member: TreeMember) =>
    member.ended || member.stop === 'cancel' ? null : ({ stop: 'cancel' } as const);
  const tree = await updateTree(core, run.rootRunId, (now) => {
    const below = descendants(now, run.id).slice(1);
    const members = changeMembers(now, below, stop);
    return members && { members };
  });
  const newest = tree ?? (await core.store.trees.get(run.rootRunId));
  if (!newest) return;
  remember(core, newest);
  // Children that are being stopped keep the reason of that stop.
  const told = newest.stopping.flatMap((round) => (round.kind === 'cancel' ? round.runIds : []));
  for (const id of descendants(newest, run.id).slice(1)) {
    if (!newest.members.get(id)?.ended && !told.includes(id))
      await requestStop(core, id, { kind: 'cancel', reason: `Its parent run ${run.id} ended.`, by: null });
  }
}

/** Mark in `seen` of a run that a stop round has reached, or that was taken out of it. */
export const roundMark = (roundId: string) => `stop:${roundId}`;

/**
 * Stops one run: at once without an owner, else by a request that the owner obeys. A round reaches a run once, whatever
 * number of nodes carry it: a late one must not stop a run that was resumed meanwhile.
 */
export async function requestStop(
  core: Core,
  runId: number,
  { kind, reason, by, id: roundId }: Pick<StopRound, 'kind' | 'reason' | 'by'> & { id?: string },
): Promise<RunRecord | null> {
  const now = core.clock.now();
  const stopOf = (run: RunRecord): RunChange | null => {
    if (nextStatus(run.status, kind) === null) return null;
    if (run.owner === null)
      return isPastDeadline(run, now)
        ? moveRun(run, 'pass-deadline', { now, reason: deadlineReason })
        : moveRun(run, kind, { now, reason, by });
    if (run.control?.kind === 'cancel' || run.control?.kind === kind) return null;
    return { set: { control: { kind, reason, by, at: now } } };
  };
  const committed = await commit(core, runId, (run) => {
    const change = stopOf(run);
    if (roundId === undefined || hasEnded(run.status)) return change;
    const mark = roundMark(roundId);
    if (hasMark(run.seen, mark)) return null;
    return { ...change, set: { ...change?.set, seen: withMarks(run.seen, mark) } };
  });
  if (!committed) return null;
  obeyControl(core, committed.run);
  if (committed.run.owner === null) await settleDuties(core, committed.run);
  return committed.run;
}

/** Shows a stop request to the local work on its run. */
export function obeyControl(core: Core, run: RunRecord): void {
  const live = core.live.get(run.id);
  if (live && live.fence === run.fence) live.onControl(run);
}

/** Delivers an ended child's result to its parent's inbox, once. */
async function deliverResult(core: Core, run: RunRecord): Promise<void> {
  if (run.parentRunId === null) return;
  const key = `child:${run.id}:${run.restarts}`;
  const good = run.status === 'Completed';
  const handover = run.duties.includes('hand-over') ? await handedOver(core, run) : null;
  const words = run.result?.summary ?? run.failureReason ?? run.status;
  const summary = handover?.note ? `${words}\n${handover.note}` : words;
  const event: EventDraft = {
    type: good ? 'ChildCompleted' : 'ChildFailed',
    level: good ? 'Information' : 'Warning',
    title: `Child run ${run.id} ${run.status}`,
    message: summary,
    payload: { runId: run.id, status: run.status },
  };
  const delivered = await commit(core, run.parentRunId, (parent) => {
    if (hasMark(parent.seen, key) || hasEnded(parent.status)) return null;
    const text = `Run ${run.id} (${run.role || 'child'}: ${run.goal.slice(0, 200)}) is ${run.status}: ${summary}`;
    const item = { key, kind: 'child' as const, text, from: null, at: core.clock.now(), childRunId: run.id };
    const arrived = [
      ...parent.arrived.filter((one) => one.runId !== run.id),
      { runId: run.id, status: run.status, summary },
    ];
    const set: Partial<RunRecord> = {
      ...handover?.parentPlace,
      inbox: [...parent.inbox, item],
      seen: withMarks(parent.seen, key),
      arrived,
    };
    if (!good && run.failurePolicy === 'fail-parent') {
      set.control = {
        kind: 'cancel',
        reason: `Its child run ${run.id} ended ${run.status}.`,
        by: 'failure-policy',
        at: core.clock.now(),
      };
    }
    Object.assign(set, wakeIfMet({ ...parent, ...set }, core.clock.now()));
    return { set, events: [...(handover?.parentEvents ?? []), event] };
  });
  if (!delivered) return;
  const parent = delivered.run;
  obeyControl(core, parent);
  if (parent.runnable) core.wake(parent);
}

/** Exhausts ancestors that wait for children once the pool is spent; a top-up wakes them. */
async function passExhaustion(core: Core, run: RunRecord): Promise<void> {
  if (run.status !== 'BudgetExhausted' || run.parentRunId === null) return;
  if (run.exhausted === 'run') return reportExhaustion(core, run);
  for (let id: number | null = run.parentRunId; id !== null; ) {
    const committed = await commit(core, id, (parent) => {
      if (parent.status !== 'WaitingForChildren' || parent.owner !== null || parent.runnable) return null;
      return moveRun(parent, 'exhaust', {
        now: core.clock.now(),
        spent: run.spentLimit ?? null,
        reason: `The pool of its tree has too little for run ${run.id}.`,
      });
    });
    const parent: RunRecord | null = committed?.run ?? (await core.store.runs.get(id));
    id = parent?.parentRunId ?? null;
  }
}

/** A child that spent its own budget counts as arrived, so that its parent can decide what to do. */
async function reportExhaustion(core: Core, run: RunRecord): Promise<void> {
  const key = `spent:${run.id}:${run.restarts}:${run.iterationsUsed}:${run.tokensUsed}`;
  const delivered = await commit(core, run.parentRunId!, (parent) => {
    if (hasMark(parent.seen, key) || hasEnded(parent.status)) return null;
    const summary = `It spent its own budget (${run.iterationsUsed} turns, ${run.tokensUsed} tokens) before it was done.`;
    const arrived = [
      ...parent.arrived.filter((one) => one.runId !== run.id),
      { runId: run.id, status: run.status, summary },
    ];
    const item = {
      key,
      kind: 'child' as const,
      text: `Run ${run.id} is ${run.status}: ${summary}`,
      from: null,
      at: core.clock.now(),
      childRunId: run.id,
    };
    const set: Partial<RunRecord> = { inbox: [...parent.inbox, item], seen: withMarks(parent.seen, key), arrived };
    return { set: { ...set, ...wakeIfMet({ ...parent, ...set }, core.clock.now()) } };
  });
  if (delivered?.run.runnable) core.wake(delivered.run);
}

/**
 * Stops a run that its tree has stopped but no request reaches: it was spawned below a paused run, or was exhausted at
 * the time of the pause.
 */
export async function heedTree(core: Core, { id, rootRunId }: RunRecord): Promise<void> {
  const stopNow = async () => (await core.store.trees.get(rootRunId))?.members.get(id)?.stop ?? null;
  const kind = await stopNow();
  if (kind === null) return;
  await requestStop(core, id, { kind, reason: 'Its tree was stopped.', by: null });
  // A resume in between found no request to withdraw.
  if (kind === 'pause' && (await stopNow()) === null)
    await commit(core, id, (run) => (run.control?.kind === 'pause' ? { set: { control: null } } : null));
}
