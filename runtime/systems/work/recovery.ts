// Puts right what crashes, silence and time leave behind: orphans, deadlines, unfinished duties and stop requests.
import type { RunRecord } from '../../records.ts';
import { hasOutcome } from '../../state/escalation.ts';
import { clockOf, hasEnded, moveRun, nextStatus, timeCommand } from '../../state/run.ts';
import { deliver, timeOutEscalation } from '../escalations/decisions.ts';
import { deadlineReason, obeyControl, settleDuties, timeReason } from '../life/endings.ts';
import { aliveNodes } from '../life/leases.ts';
import { catchUp } from '../records/announce.ts';
import { commit } from '../records/commits.ts';
import { type Bag, timesOf } from '../records/core.ts';
import { makeSettlements, writeOff } from '../trees/escrow.ts';
import { updateMember } from '../trees/trees.ts';
import { finishStop } from './control.ts';

const batch = 200;
/** Work that somebody may be doing this moment is left alone for so long, in ms. */
const patienceMs = 2000;

/** One round over everything; safe on any node at any time. `startup` does not wait for anybody. */
export async function reconcile(bag: Bag, startup = false): Promise<void> {
  const now = bag.clock.now();
  if (startup && bag.options.soleOwner) await bag.store.nodes.bury({ allBut: bag.node });
  await forEach(bag, await ownerless(bag), (run) => takeOver(bag, run));
  await forEach(bag, await bag.store.runs.overdue(bag.clock.steady(), batch), (run) => endOverdue(bag, run));
  await forEach(bag, await bag.store.trees.stopping(batch), (tree) => finishStop(bag, tree));
  await forEach(bag, await bag.store.escalations.due(now, batch), (due) => timeOutEscalation(bag, due));
  await forEach(bag, await bag.store.escalations.undelivered(batch), (one) => deliverNewest(bag, one.id));
  const before = startup ? now : now - patienceMs;
  await forEach(bag, await bag.store.runs.unfinished(before, batch), (run) => finish(bag, run));
}

/** One that was sent back may have been put anew since it was listed. */
async function deliverNewest(bag: Bag, id: number): Promise<void> {
  const newest = await bag.store.escalations.get(id);
  if (newest && !newest.delivered && hasOutcome(newest.status)) await deliver(bag, newest);
}

/** Runs of dead nodes, and those that this one could not keep hold of, with none at work on them. */
async function ownerless(bag: Bag): Promise<RunRecord[]> {
  const alive = await aliveNodes(bag);
  const orphans = await bag.store.runs.orphans(alive, batch);
  for (const id of bag.abandoned) {
    const run = bag.live.has(id) ? null : await bag.store.runs.get(id);
    if (run?.owner === bag.node) orphans.push(run);
    else bag.abandoned.delete(id);
  }
  return orphans;
}

/** A run without an owner at work goes back to the queue; one that keeps losing its owners is quarantined. */
async function takeOver(bag: Bag, orphan: RunRecord): Promise<void> {
  if (bag.live.has(orphan.id)) return;
  const tree = await bag.store.trees.get(orphan.rootRunId);
  const committed = await commit(bag, orphan.id, (run) => {
    if (run.owner === null || run.owner !== orphan.owner || run.fence !== orphan.fence) return null;
    const now = bag.clock.now();
    const crashes = run.crashes + 1;
    const lost = tree && writeOff(run, tree);
    if (crashes >= bag.options.maxCrashes) {
      const reason = `Quarantined: ${crashes} owners were lost in a row without a finished step.`;
      const move = moveRun(run, 'fail', { now, reason });
      return { ...move, set: { ...lost, ...move.set, crashes } };
    }
    const move = moveRun(run, 'give-back', { now, reason: 'Its owner was lost; it goes on from its last step.' });
    return { ...move, set: { ...lost, ...move.set, crashes } };
  });
  bag.abandoned.delete(orphan.id);
  if (!committed) return;
  await makeSettlements(bag, committed.run, committed.run.settlements);
  await updateMember(bag, committed.run, (member) => (member.active ? { active: false } : null));
  await settleDuties(bag, committed.run);
  if (committed.run.runnable) bag.wake(orphan.id, orphan.tenantId, orphan.rootRunId);
}

/** Does a piece of work for each; what fails for one is left to the next round and keeps no other from its turn. */
async function forEach<T extends { id: number }>(bag: Bag, all: readonly T[], work: (one: T) => Promise<unknown>) {
  for (const one of all) {
    await work(one).catch((error: unknown) => bag.log.warn({ err: error, id: one.id }, 'a repair is tried again'));
  }
}

async function endOverdue(bag: Bag, overdue: RunRecord): Promise<void> {
  const committed = await commit(bag, overdue.id, (run) => {
    const times = timesOf(bag);
    if (run.owner !== null || run.deadlineAt === null || run.deadlineAt > times.steady) return null;
    const command = timeCommand(run, times);
    // The wall clock was set since: there is another time to look.
    if (!command) return { set: clockOf(run, run.status, times) };
    if (nextStatus(run.status, command) === null) return null;
    const reason = command === 'time-out' ? timeReason : deadlineReason;
    return moveRun(run, command, { now: times.now, reason });
  });
  if (committed && hasEnded(committed.run.status)) await settleDuties(bag, committed.run);
}

/** What a crashed or interrupted process still owed for a run at rest. */
async function finish(bag: Bag, run: RunRecord): Promise<void> {
  obeyControl(bag, run);
  if (run.settlements.length > 0) {
    await makeSettlements(bag, run, run.settlements);
    await commit(bag, run.id, (now) => {
      const left = now.settlements.filter((one) => !run.settlements.some((made) => made.callId === one.callId));
      return now.owner === null && left.length < now.settlements.length ? { set: { settlements: left } } : null;
    });
  }
  await bag.serial(`run:${run.id}`, () => catchUp(bag, run));
  const settled = settleDuties(bag, run);
  if (!run.duties.includes('hand-over')) return settled;
  // Files can take their time, and others wait for this round.
  settled.catch((error: unknown) => bag.log.warn({ err: error, runId: run.id }, 'what a run owes is left to repair'));
}
