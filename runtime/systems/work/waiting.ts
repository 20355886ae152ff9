// Waits for a run to end, and listens to what other nodes say.
import type { RunSignal } from '../../ports.ts';
import type { RunRecord } from '../../records.ts';
import { hasEnded } from '../../state/run.ts';
import { obeyControl } from '../life/endings.ts';
import { catchUp } from '../records/announce.ts';
import { refresh } from '../records/commits.ts';
import type { Bag } from '../records/core.ts';
import { runOf } from '../records/find-run.ts';

/** Other nodes' ends are seen by looking, so often in ms. */
const lookEveryMs = 1000;

/** The run when it has ended, or as it is after `timeoutMs`. Rejects with the signal's reason when aborted. */
export async function waitForEnd(bag: Bag, runId: number, timeoutMs: number, signal?: AbortSignal): Promise<RunRecord> {
  const ends = bag.clock.steady() + timeoutMs;
  const seen = new AbortController();
  const watch = (run: RunRecord) => {
    if (hasEnded(run.status)) seen.abort();
  };
  const watchers = bag.watchers.get(runId) ?? new Set();
  bag.watchers.set(runId, watchers.add(watch));
  try {
    for (;;) {
      const run = await runOf(bag, runId);
      const left = ends - bag.clock.steady();
      if (hasEnded(run.status) || left <= 0) return run;
      const any = signal ? AbortSignal.any([signal, seen.signal]) : seen.signal;
      await bag.clock.sleep(Math.min(left, lookEveryMs), any).catch(() => signal?.throwIfAborted());
    }
  } finally {
    watchers.delete(watch);
    if (watchers.size === 0) bag.watchers.delete(runId);
  }
}

/** Acts on another node's signal: what it is about is read from the store. */
export async function hear(bag: Bag, { kind, runId }: RunSignal): Promise<void> {
  const watchers = bag.watchers.get(runId);
  const live = bag.live.get(runId);
  if (kind === 'ended' ? !watchers : !live) return;
  try {
    const run = await bag.store.runs.get(runId);
    if (!run) return;
    for (const watch of watchers ?? []) watch(run);
    if (!live) return;
    refresh(live, run);
    obeyControl(bag, run);
    await bag.serial(`run:${runId}`, () => catchUp(bag, run));
  } catch (error) {
    bag.log.warn({ err: error }, 'a signal was not heard');
  }
}
