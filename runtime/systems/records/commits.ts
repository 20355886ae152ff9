// Commits: every change of a run is made here, atomically, and published in the order it was made.
import type { Committed, RunChange } from '../../ports.ts';
import type { RunRecord } from '../../records.ts';
import { clockOf } from '../../state/run.ts';
import { announce } from './announce.ts';
import { type Core, type Deferred, type LiveRun, Stop, timesOf } from './core.ts';

/** Changes a run; null when it does not exist or `decide` returned null. Faults of `decide` are passed on. */
export function commit(
  core: Core,
  runId: number,
  decide: (now: RunRecord) => RunChange | null,
  /** Called once the change is stored, before it is published. */
  onMade: () => void = () => {},
): Promise<Committed | null> {
  return core.serial(`run:${runId}`, async () => {
    let before: RunRecord | null = null;
    const committed = await core.store.runs.update(runId, (now) => {
      before = now;
      const change = decide(now);
      return change && complete(core, now, change);
    });
    if (!committed) return null;
    const live = core.live.get(runId);
    if (live) refresh(live, committed.run);
    onMade();
    await announce(core, before, committed);
    return committed;
  });
}

/** Completes a change with its time, and with whether work is left once nobody owns the run. */
function complete(core: Core, now: RunRecord, change: RunChange): RunChange {
  const set: Partial<RunRecord> = { ...change.set, updatedAt: core.clock.now() };
  const published = core.published.get(now.id);
  if (published !== undefined && published > now.publishedSeq) set.publishedSeq = published;
  if (change.events && change.events.length > 0) set.unfinished = true;
  if (movesClock(now, set)) {
    const next = { ...now, ...set };
    Object.assign(set, clockOf(next, next.status, timesOf(core)));
  }
  return { ...change, set };
}

/** Whether a change affects the run's time limits. */
const movesClock = (now: RunRecord, set: Partial<RunRecord>) =>
  (['status', 'maxWallClockMs', 'treeDeadlineAt', 'activeSince'] as const).some(
    (field) => field in set && set[field] !== now[field],
  );

/**
 * Changes a run that this process owns, together with its deferred changes. Throws Stop('lost') when this process no
 * longer owns it.
 */
export async function commitOwned(
  core: Core,
  live: LiveRun,
  decide: (now: RunRecord) => RunChange | null,
): Promise<Committed | null> {
  let refused = false;
  const { deferred } = live;
  live.deferred = null;
  const owned = (now: RunRecord) => {
    refused = now.fence !== live.fence || now.owner !== core.node;
    if (refused) return null;
    const change = deferred ? withDeferred(now, deferred, decide) : decide(now);
    return change && dropSettled(live, now, change);
  };
  const committed = await commit(core, live.run.id, owned, deferred?.onMade).catch((error) => {
    live.deferred ??= deferred;
    throw error;
  });
  if (refused) throw new Stop('lost');
  if (!committed) live.deferred ??= deferred;
  return committed;
}

/** Shows the newest stored state to the work on a run, with its deferred changes on top. */
export function refresh(live: LiveRun, run: RunRecord): void {
  if (run.fence !== live.fence || run.version < live.run.version) return;
  if (live.deferred) {
    const made = live.deferred.change(run);
    live.deferred = { ...live.deferred, base: run, made, after: after(run, made) };
  }
  live.run = live.deferred?.after ?? run;
}

const after = (run: RunRecord, { set, messages }: RunChange): RunRecord => ({
  ...run,
  ...set,
  messageCount: run.messageCount + (messages?.length ?? 0),
});

/**
 * Defers a change to the next commit, after those deferred already. That commit follows at once unless the run must
 * wait
 * for something; no effect outside the run may depend on the change before `onMade`.
 */
export function defer(live: LiveRun, change: (now: RunRecord) => RunChange, onMade: () => void = () => {}): void {
  const earlier = live.deferred;
  const added = change(live.run);
  const next = after(live.run, added);
  live.deferred = earlier
    ? {
        change: (now) => both(now, earlier.change(now), change),
        base: earlier.base,
        made: joined(live.run, earlier.made, added),
        after: next,
        onMade: () => {
          earlier.onMade();
          onMade();
        },
      }
    : { change, base: live.run, made: added, after: next, onMade };
  live.run = next;
}

/** Commits deferred changes now, before work that may take long. */
export async function commitDeferred(core: Core, live: LiveRun): Promise<void> {
  if (live.deferred) await commitOwned(core, live, () => ({}));
}

/** Merges the deferred changes with another one; most often they are computed already for the stored state. */
function withDeferred(now: RunRecord, deferred: Deferred, decide: (now: RunRecord) => RunChange | null): RunChange {
  if (now !== deferred.base) return both(now, deferred.change(now), decide);
  return joined(deferred.after, deferred.made, decide(deferred.after) ?? {});
}

/** Merges two changes; the second is decided on the state after the first. */
function both(now: RunRecord, first: RunChange, decide: (now: RunRecord) => RunChange | null): RunChange {
  const middle = after(now, first);
  return joined(middle, first, decide(middle) ?? {});
}

function joined(middle: RunRecord, first: RunChange, second: RunChange): RunChange {
  // An event carries the turn in which it happened, which the second change may leave.
  const iteration = middle.iterationsUsed || null;
  const earlier = first.events?.map((event) => ('iteration' in event ? event : { ...event, iteration })) ?? [];
  return {
    set: { ...first.set, ...second.set },
    events: [...earlier, ...(second.events ?? [])],
    messages: [...(first.messages ?? []), ...(second.messages ?? [])],
    turns: [...turnsOf(first, middle), ...(second.turns ?? [])],
    toolCalls: [...(first.toolCalls ?? []), ...(second.toolCalls ?? [])],
  };
}

/** Turns of the messages of a change, which another one follows in the same write. */
const turnsOf = ({ messages = [], turns = [] }: RunChange, { iterationsUsed }: RunRecord): number[] =>
  messages.map((_, at) => turns[at] ?? iterationsUsed);

/** Removes settlements from the record once they are made. */
function dropSettled(live: LiveRun, now: RunRecord, change: RunChange): RunChange {
  if (live.settled.size === 0) return change;
  const settlements = change.set?.settlements ?? now.settlements;
  const left = settlements.filter((settlement) => !live.settled.has(settlement.callId));
  return left.length === settlements.length ? change : { ...change, set: { ...change.set, settlements: left } };
}
