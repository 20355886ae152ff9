// State of the work on a run in this process: context of the model, deferred changes, abort signal.
import { setMaxListeners } from 'node:events';
import type { RunRecord } from '../../records.ts';
import { type Core, type LiveRun, Stop } from '../records/core.ts';

/** A new state for a run that was just claimed. */
export function createLive(core: Core, run: RunRecord): LiveRun {
  const abort = new AbortController();
  // Each parallel tool call adds a listener.
  setMaxListeners(0, abort.signal);
  const endStep = () => {
    if (live.run.control?.kind === 'pause') abort.abort(new Stop('pause'));
  };
  const live: LiveRun = {
    run,
    fence: run.fence,
    abort,
    messages: [],
    offset: 0,
    journal: null,
    briefing: null,
    briefedAt: Number.NEGATIVE_INFINITY,
    deferred: null,
    unsettled: [],
    settled: new Set(),
    callCount: 0,
    auxCount: 0,
    auxTokens: 0,
    lastBudgetAt: Number.NEGATIVE_INFINITY,
    saving: Promise.resolve(),
    onControl(now) {
      live.run = { ...live.run, control: now.control };
      if (now.control?.kind === 'cancel') abort.abort(new Stop('cancel'));
      else if (now.control) core.clock.after(core.options.pauseGraceMs, endStep);
    },
    done: Promise.resolve(),
  };
  return live;
}
