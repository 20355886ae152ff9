// Waits for ends of runs, and receives the signals of other nodes.
import type { RunSignal } from '../../ports.ts';
import type { RunRecord } from '../../records.ts';
import { hasEnded } from '../../state/run.ts';
import { decidedElsewhere, isHeldHere } from '../escalations/held.ts';
import { obeyControl } from '../life/duties.ts';
import { catchUp } from '../records/announce.ts';
import { refresh } from '../records/commits.ts';
import type { Core } from '../records/core.ts';
import { runOf } from '../records/find-run.ts';

/** Interval in ms at which runs that wait poll for ends that another node wrote. */
const pollEveryMs = 1000;

/**
 * Waits until the run has ended or `timeoutMs` have passed; returns it as it then is. Rejects with the signal's
 * reason.
 */
export async function waitForEnd(
  core: Core,
  runId: number,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<RunRecord> {
  const ends = core.clock.steady() + timeoutMs;
  const seen = new AbortController();
  const watch = (run: RunRecord) => {
    if (hasEnded(run.status)) seen.abort();
  };
  const watchers = core.watchers.get(runId) ?? new Set();
  core.watchers.set(runId, watchers.add(watch));
  try {
    for (;;) {
      const run = await runOf(core, runId);
      const left = ends - core.clock.steady();
      if (hasEnded(run.status) || left <= 0) return run;
      const any = signal ? AbortSignal.any([signal, seen.signal]) : seen.signal;
      await core.clock.sleep(Math.min(left, pollEveryMs), any).catch(() => signal?.throwIfAborted());
    }
  } finally {
    watchers.delete(watch);
    if (watchers.size === 0) core.watchers.delete(runId);
  }
}

/** Handles another node's signal: reads what it is about from the store. */
export async function hear(core: Core, signal: RunSignal): Promise<void> {
  if (signal.kind === 'decided') return decidedElsewhere(core, signal.escalationId);
  const { kind, runId } = signal;
  const watchers = core.watchers.get(runId);
  const live = core.live.get(runId);
  const holds = isHeldHere(core, runId);
  if (!holds && (kind === 'ended' ? !watchers : !live)) return;
  try {
    const run = await core.store.runs.get(runId);
    if (!run) return;
    if (holds && run.runnable) core.wake(run);
    for (const watch of watchers ?? []) watch(run);
    if (!live) return;
    refresh(live, run);
    obeyControl(core, run);
    await core.serial(`run:${runId}`, () => catchUp(core, run));
  } catch (error) {
    core.log.warn({ err: error }, 'a signal was not heard');
  }
}
