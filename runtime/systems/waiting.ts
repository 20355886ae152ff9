// Waits for a run to end, and listens to what other nodes say.
import type { Signals } from '../ports.ts';
import type { RunRecord } from '../records.ts';
import { hasEnded } from '../state/run.ts';
import { catchUp } from './announce.ts';
import type { Bag } from './bag.ts';
import { obeyControl } from './endings.ts';
import { runOf } from './lookup.ts';

/** Other nodes' ends are seen by looking, so often in ms. */
const lookEveryMs = 1000;

/** The run when it has ended, or as it is after `timeoutMs`. Rejects with the signal's reason when aborted. */
export async function waitForEnd(bag: Bag, runId: number, timeoutMs: number, signal?: AbortSignal): Promise<RunRecord> {
  const ends = bag.clock.now() + timeoutMs;
  const seen = new AbortController();
  const watch = (run: RunRecord) => {
    if (hasEnded(run.status)) seen.abort();
  };
  const watchers = bag.watchers.get(runId) ?? new Set();
  bag.watchers.set(runId, watchers.add(watch));
  try {
    for (;;) {
      const run = await runOf(bag, runId);
      const left = ends - bag.clock.now();
      if (hasEnded(run.status) || left <= 0) return run;
      const any = signal ? AbortSignal.any([signal, seen.signal]) : seen.signal;
      await bag.clock.sleep(Math.min(left, lookEveryMs), any).catch(() => signal?.throwIfAborted());
    }
  } finally {
    watchers.delete(watch);
    if (watchers.size === 0) bag.watchers.delete(runId);
  }
}

/** Acts on another node's signal. */
export async function hear(bag: Bag, signal: Parameters<Signals['send']>[0]): Promise<void> {
  try {
    if (signal.kind === 'stop' && !bag.live.has(signal.runId)) return;
    const run = await bag.store.runs.get(signal.runId);
    if (!run) return;
    if (signal.kind === 'stop') obeyControl(bag, run);
    else if (signal.kind === 'inbox') await bag.serial(`run:${run.id}`, () => catchUp(bag, run));
    if (run.runnable) bag.wake(run.id, run.tenantId, run.rootRunId);
  } catch (error) {
    bag.log.warn({ err: error }, 'a signal was not heard');
  }
}
