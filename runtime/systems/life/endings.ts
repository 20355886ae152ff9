// How the work on a run comes to rest: it ends, waits, or gives its lease back; and what an end asks of others.
import type { RunChange } from '../../ports.ts';
import type { Duty, EventDraft, InboxItem, RunRecord, RunResult } from '../../records.ts';
import { changeMembers, descendants } from '../../state/pool.ts';
import { hasEnded, isPastDeadline, type MoveDetails, moveRun, nextStatus, type RunCommand } from '../../state/run.ts';
import { type SpentLimit, shortageOf } from '../../state/spent.ts';
import type { StopRound, TreeMember } from '../../state/tree.ts';
import { commit, commitOwned } from '../records/commits.ts';
import type { Bag, LiveRun } from '../records/core.ts';
import { withdrawEscalations } from '../records/escalation-records.ts';
import { leaveTree, remember, treeNow, updateTree } from '../trees/trees.ts';
import { handedOver, handOver } from './handover.ts';
import { joinMet } from './joins.ts';

/** Brings an owned run to rest by `command`, after everything it owes to the pool. */
export async function rest(
  bag: Bag,
  live: LiveRun,
  command: RunCommand,
  details: Omit<MoveDetails, 'now' | 'owner'> = {},
  also: RunChange = {},
): Promise<'rest'> {
  await commitOwned(bag, live, (now) => {
    const merged = { ...now, ...also.set };
    const move = moveRun(merged, command, { now: bag.clock.now(), ...details });
    const change: RunChange = { events: [...(also.events ?? []), ...(move.events ?? [])] };
    if (also.messages) change.messages = also.messages;
    if (also.toolCalls) change.toolCalls = also.toolCalls;
    // A child that arrived before the run came to rest must not leave it waiting for ever.
    Object.assign(move.set, wakeIfMet({ ...merged, ...move.set }, bag.clock.now()));
    change.set = { ...also.set, ...move.set };
    return change;
  });
  return 'rest';
}

/** Completes the run, with `also`, unless its inbox holds something that `isNews`. */
export async function completeUnlessNews(
  bag: Bag,
  live: LiveRun,
  result: RunResult,
  isNews: (item: InboxItem) => boolean = () => true,
  also: RunChange = {},
): Promise<'rest' | 'go-on'> {
  let news = false;
  await commitOwned(bag, live, (now) => {
    news = now.inbox.some(isNews);
    if (news) return {};
    const move = moveRun({ ...now, ...also.set }, 'complete', { now: bag.clock.now(), result });
    return { ...also, set: { ...also.set, ...move.set }, events: [...(also.events ?? []), ...(move.events ?? [])] };
  });
  return news ? 'go-on' : 'rest';
}

export const fail = (bag: Bag, live: LiveRun, reason: string, also: RunChange = {}) =>
  rest(bag, live, 'fail', { reason }, also);

export const timeOut = (bag: Bag, live: LiveRun, command: 'time-out' | 'pass-deadline') =>
  rest(bag, live, command, { reason: command === 'time-out' ? timeReason : deadlineReason });

export const timeReason = 'Its wall-clock budget is used up.';
export const deadlineReason = 'The deadline of its tree has passed.';

/** Ends the attempt for want of budget; a spent pool is passed on to waiting ancestors. */
export function exhaust(bag: Bag, live: LiveRun, spent: SpentLimit): Promise<'rest'> {
  const reason = shortageOf(spent, live.run, treeNow(bag, live.run.rootRunId) ?? null)?.message ?? spent.limit;
  return rest(bag, live, 'exhaust', { reason, spent }, { set: { duties: ['pass-exhaustion'] } });
}

/** Does what a run that holds no lease still owes to others. Safe to call again at any time. */
export async function settleDuties(bag: Bag, run: RunRecord): Promise<void> {
  if (run.status === 'Paused') await leaveTree(bag, run);
  for (const duty of run.duties) if ((await perform(bag, run, duty)) === 'not-yet') return;
  const done = run.duties;
  const committed = await commit(bag, run.id, (now) => {
    if (now.owner !== null || now.restarts !== run.restarts) return null;
    const duties = now.duties.filter((duty) => !done.includes(duty));
    const settled = now.settlements.length === 0 && duties.length === 0;
    const published = Math.max(now.publishedSeq, bag.published.get(now.id) ?? 0);
    return { set: { duties, unfinished: !settled || published < now.eventCount } };
  });
  if (!committed || committed.run.unfinished) return;
  bag.told.delete(run.id);
  bag.published.delete(run.id);
}

function perform(bag: Bag, run: RunRecord, duty: Duty): Promise<unknown> {
  switch (duty) {
    case 'stop-children':
      return stopChildren(bag, run);
    case 'leave-tree':
      return leaveTree(bag, run);
    case 'hand-over':
      return handOver(bag, run);
    case 'deliver-result':
      return deliverResult(bag, run);
    case 'pass-exhaustion':
      return passExhaustion(bag, run);
    case 'withdraw-escalations':
      return withdrawEscalations(bag, run);
    default:
      return duty satisfies never;
  }
}

/** Children of an ended run have nobody to work for: they are cancelled. */
async function stopChildren(bag: Bag, run: RunRecord): Promise<void> {
  const stop = (member: TreeMember) =>
    member.ended || member.stop === 'cancel' ? null : ({ stop: 'cancel' } as const);
  const tree = await updateTree(bag, run.rootRunId, (now) => {
    const below = descendants(now, run.id).slice(1);
    const members = changeMembers(now, below, stop);
    return members && { members };
  });
  const newest = tree ?? (await bag.store.trees.get(run.rootRunId));
  if (!newest) return;
  remember(bag, newest);
  // Those that somebody stops just now are stopped for the reason that was given.
  const told = newest.stopping.flatMap((round) => (round.kind === 'cancel' ? round.runIds : []));
  for (const id of descendants(newest, run.id).slice(1)) {
    if (!newest.members[id]?.ended && !told.includes(id))
      await requestStop(bag, id, { kind: 'cancel', reason: `Its parent run ${run.id} ended.`, by: null });
  }
}

/** The mark in `seen` of a run that a round of stop requests has reached, or that was taken out of it. */
export const roundMark = (roundId: string) => `stop:${roundId}`;

/**
 * Stops one run: at once when nobody owns it, else by a request that its owner obeys. A round reaches a run once,
 * however many nodes carry it: one that comes late must not stop what somebody has let go on meanwhile.
 */
export async function requestStop(
  bag: Bag,
  runId: number,
  { kind, reason, by, id: roundId }: Pick<StopRound, 'kind' | 'reason' | 'by'> & { id?: string },
): Promise<RunRecord | null> {
  const now = bag.clock.now();
  const stopOf = (run: RunRecord): RunChange | null => {
    if (nextStatus(run.status, kind) === null) return null;
    if (run.owner === null)
      return isPastDeadline(run, now)
        ? moveRun(run, 'pass-deadline', { now, reason: deadlineReason })
        : moveRun(run, kind, { now, reason, by });
    if (run.control?.kind === 'cancel' || run.control?.kind === kind) return null;
    return { set: { control: { kind, reason, by, at: now } } };
  };
  const committed = await commit(bag, runId, (run) => {
    const change = stopOf(run);
    if (roundId === undefined || hasEnded(run.status)) return change;
    const mark = roundMark(roundId);
    if (run.seen.includes(mark)) return null;
    return { ...change, set: { ...change?.set, seen: [...run.seen, mark] } };
  });
  if (!committed) return null;
  obeyControl(bag, committed.run);
  if (committed.run.owner === null) await settleDuties(bag, committed.run);
  return committed.run;
}

/** Lets the work of this process on a run know of its stop request. */
export function obeyControl(bag: Bag, run: RunRecord): void {
  const live = bag.live.get(run.id);
  if (live && live.fence === run.fence) live.onControl(run);
}

/** Puts an ended child's result into its parent's inbox, once. */
async function deliverResult(bag: Bag, run: RunRecord): Promise<void> {
  if (run.parentRunId === null) return;
  const key = `child:${run.id}:${run.restarts}`;
  const good = run.status === 'Completed';
  const handover = run.duties.includes('hand-over') ? await handedOver(bag, run) : null;
  const words = run.result?.summary ?? run.failureReason ?? run.status;
  const summary = handover?.note ? `${words}\n${handover.note}` : words;
  const event: EventDraft = {
    type: good ? 'ChildCompleted' : 'ChildFailed',
    level: good ? 'Information' : 'Warning',
    title: `Child run ${run.id} ${run.status}`,
    message: summary,
    payload: { runId: run.id, status: run.status },
  };
  const delivered = await commit(bag, run.parentRunId, (parent) => {
    if (parent.seen.includes(key) || hasEnded(parent.status)) return null;
    const text = `Run ${run.id} (${run.role || 'child'}: ${run.goal.slice(0, 200)}) is ${run.status}: ${summary}`;
    const item = { key, kind: 'child' as const, text, from: null, at: bag.clock.now(), childRunId: run.id };
    const arrived = [
      ...parent.arrived.filter((one) => one.runId !== run.id),
      { runId: run.id, status: run.status, summary },
    ];
    const set: Partial<RunRecord> = {
      ...handover?.parentPlace,
      inbox: [...parent.inbox, item],
      seen: [...parent.seen, key],
      arrived,
    };
    if (!good && run.failurePolicy === 'fail-parent') {
      set.control = {
        kind: 'cancel',
        reason: `Its child run ${run.id} ended ${run.status}.`,
        by: 'failure-policy',
        at: bag.clock.now(),
      };
    }
    Object.assign(set, wakeIfMet({ ...parent, ...set }, bag.clock.now()));
    return { set, events: [...(handover?.parentEvents ?? []), event] };
  });
  if (!delivered) return;
  const parent = delivered.run;
  obeyControl(bag, parent);
  if (parent.runnable) bag.wake(parent.id, parent.tenantId, parent.rootRunId);
}

/** A run that waits for children becomes claimable when its join is met or somebody wants it stopped. */
export function wakeIfMet(run: RunRecord, now: number): Partial<RunRecord> {
  if (run.status !== 'WaitingForChildren' || run.runnable) return {};
  return joinMet(run) || run.control ? { runnable: true, runnableSince: now } : {};
}

/** Ancestors that wait for children cannot go on when the pool is spent; a top-up brings them back. */
async function passExhaustion(bag: Bag, run: RunRecord): Promise<void> {
  if (run.status !== 'BudgetExhausted' || run.parentRunId === null) return;
  if (run.exhausted === 'run') return reportExhaustion(bag, run);
  for (let id: number | null = run.parentRunId; id !== null; ) {
    const committed = await commit(bag, id, (parent) => {
      if (parent.status !== 'WaitingForChildren' || parent.owner !== null || parent.runnable) return null;
      return moveRun(parent, 'exhaust', {
        now: bag.clock.now(),
        spent: run.spentLimit ?? null,
        reason: `The pool of its tree has too little for run ${run.id}.`,
      });
    });
    const parent: RunRecord | null = committed?.run ?? (await bag.store.runs.get(id));
    id = parent?.parentRunId ?? null;
  }
}

/** A child that spent its own budget counts as arrived, so that its parent can decide what to do. */
async function reportExhaustion(bag: Bag, run: RunRecord): Promise<void> {
  const key = `spent:${run.id}:${run.restarts}:${run.iterationsUsed}:${run.tokensUsed}`;
  const delivered = await commit(bag, run.parentRunId!, (parent) => {
    if (parent.seen.includes(key) || hasEnded(parent.status)) return null;
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
      at: bag.clock.now(),
      childRunId: run.id,
    };
    const set: Partial<RunRecord> = { inbox: [...parent.inbox, item], seen: [...parent.seen, key], arrived };
    return { set: { ...set, ...wakeIfMet({ ...parent, ...set }, bag.clock.now()) } };
  });
  if (delivered?.run.runnable) bag.wake(delivered.run.id, delivered.run.tenantId, delivered.run.rootRunId);
}
