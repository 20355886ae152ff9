// Recovery from crashes, silence and missed times: orphans, deadlines, unfinished duties and stop requests.
import type { RunRecord } from '../../records.ts';
import { hasOutcome } from '../../state/escalation.ts';
import { clockOf, hasEnded, moveRun, nextStatus, timeCommand } from '../../state/run.ts';
import { deliver, timeOutEscalation } from '../escalations/decisions.ts';
import { endIdle, endLost, heldHere } from '../escalations/held.ts';
import { obeyControl, settleDuties } from '../life/duties.ts';
import { deadlineReason, timeReason } from '../life/endings.ts';
import { aliveNodes } from '../life/leases.ts';
import { catchUp } from '../records/announce.ts';
import { commit } from '../records/commits.ts';
import { type Core, timesOf } from '../records/core.ts';
import { makeSettlements, writeOff } from '../trees/escrow.ts';
import { updateMember } from '../trees/trees.ts';
import { finishStop } from './control.ts';

const batch = 200;
/** Age in ms below which recovery leaves work alone: another node may be doing it. */
const patienceMs = 2000;

/** One pass of recovery; safe on any node at any time. `startup` takes over at once. */
export async function reconcile(core: Core, startup = false): Promise<void> {
  const now = core.clock.now();
  if (startup && core.options.soleOwner) await core.store.nodes.bury({ allBut: core.node });
  // All at once: one after the other, the last would wait for the work of those that are back already.
  await Promise.all((await ownerless(core)).map((run) => attempt(core, run, (one) => takeOver(core, one))));
  await forEach(core, await core.store.runs.overdue(core.clock.steady(), batch), (run) => endOverdue(core, run));
  await forEach(core, await core.store.trees.stopping(batch), (tree) => finishStop(core, tree));
  await forEach(core, await core.store.escalations.due(now, batch), (due) => timeOutEscalation(core, due));
  await forEach(core, await core.store.escalations.held(batch), (one) => endLost(core, one));
  await forEach(core, heldHere(core), ({ id }) => endIdle(core, id));
  await forEach(core, await core.store.escalations.undelivered(batch), (one) => deliverNewest(core, one.id));
  const before = startup ? now : now - patienceMs;
  await forEach(core, await core.store.runs.unfinished(before, batch), (run) => finish(core, run));
}

/** Delivers the newest outcome: one that was sent back may have been submitted again since the list was read. */
async function deliverNewest(core: Core, id: number): Promise<void> {
  const newest = await core.store.escalations.get(id);
  if (newest && !newest.delivered && hasOutcome(newest.status)) await deliver(core, newest);
}

/** Runs of dead nodes, and runs that this node may own without working on them. */
async function ownerless(core: Core): Promise<RunRecord[]> {
  const alive = await aliveNodes(core);
  const orphans = await core.store.runs.orphans(alive, batch);
  for (const id of core.abandoned) {
    const run = core.live.has(id) ? null : await core.store.runs.get(id);
    if (run?.owner === core.node) orphans.push(run);
    else core.abandoned.delete(id);
  }
  return orphans;
}

/** Requeues a run that was at work without an owner; quarantines one that keeps losing its owners. */
async function takeOver(core: Core, orphan: RunRecord): Promise<void> {
  if (core.live.has(orphan.id)) return;
  const tree = await core.store.trees.get(orphan.rootRunId);
  const committed = await commit(core, orphan.id, (run) => {
    if (run.owner === null || run.owner !== orphan.owner || run.fence !== orphan.fence) return null;
    const now = core.clock.now();
    const crashes = run.crashes + 1;
    const lost = tree && writeOff(run, tree);
    if (crashes >= core.options.maxCrashes) {
      const reason = `Quarantined: ${crashes} owners were lost in a row without a finished step.`;
      const move = moveRun(run, 'fail', { now, reason });
      return { ...move, set: { ...lost, ...move.set, crashes } };
    }
    const move = moveRun(run, 'give-back', { now, reason: 'Its owner was lost; it goes on from its last step.' });
    return { ...move, set: { ...lost, ...move.set, crashes } };
  });
  core.abandoned.delete(orphan.id);
  if (!committed) return;
  const made = await makeSettlements(core, committed.run);
  await updateMember(core, committed.run, (member) => (member.active ? { active: false } : null));
  await settleDuties(core, committed.run, made);
  if (committed.run.runnable) core.wake(committed.run);
}

/** Runs `work` for each item, one after the other. */
async function forEach<T extends { id: number }>(core: Core, all: readonly T[], work: (one: T) => Promise<unknown>) {
  for (const one of all) await attempt(core, one, work);
}

/** Runs `work`; a failure is left to the next pass and does not stop the others. */
const attempt = <T extends { id: number }>(core: Core, one: T, work: (one: T) => Promise<unknown>) =>
  work(one).catch((error: unknown) => core.log.warn({ err: error, id: one.id }, 'a repair is tried again'));

async function endOverdue(core: Core, overdue: RunRecord): Promise<void> {
  const committed = await commit(core, overdue.id, (run) => {
    const times = timesOf(core);
    if (run.owner !== null || run.deadlineAt === null || run.deadlineAt > times.steady) return null;
    const command = timeCommand(run, times);
    // The wall clock was set since: the time of the next check moves.
    if (!command) return { set: clockOf(run, run.status, times) };
    if (nextStatus(run.status, command) === null) return null;
    const reason = command === 'time-out' ? timeReason : deadlineReason;
    return moveRun(run, command, { now: times.now, reason });
  });
  if (committed && hasEnded(committed.run.status)) await settleDuties(core, committed.run);
}

/** Finishes the duties that a crashed process left on a run at rest. */
async function finish(core: Core, run: RunRecord): Promise<void> {
  obeyControl(core, run);
  const made = await makeSettlements(core, run);
  await core.serial(`run:${run.id}`, () => catchUp(core, run));
  const settled = settleDuties(core, run, made);
  if (!run.duties.includes('hand-over')) return settled;
  // The handover of files may take long, so the pass does not wait for it.
  settled.catch((error: unknown) => core.log.warn({ err: error, runId: run.id }, 'what a run owes is left to repair'));
}
