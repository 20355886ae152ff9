// Joins: when a run that waits for children may continue, and the result that its model reads. Pure functions.
import type { ArrivedChild, RunRecord, Waiting } from '../../records.ts';

type ChildWait = Extract<Waiting, { for: 'children' }>;

/** Whether enough of the awaited children have arrived. */
export function isMet(wait: ChildWait, arrived: readonly ArrivedChild[]): boolean {
  const ids = new Set(arrived.map((one) => one.runId));
  const here = wait.runIds.filter((id) => ids.has(id)).length;
  switch (wait.mode) {
    case 'all':
      return here === wait.runIds.length;
    case 'any':
      return here >= Math.min(1, wait.runIds.length);
    case 'first':
      return here >= Math.min(wait.count, wait.runIds.length);
    default:
      return wait.mode satisfies never;
  }
}

/** Whether a run that waits for children has at least one join that is met, or nothing to wait for. */
export function joinMet(run: RunRecord): boolean {
  const waits = run.waiting.filter((one): one is ChildWait => one.for === 'children');
  return waits.length === 0 || waits.some((wait) => isMet(wait, run.arrived));
}

/** Result of a join as text for the model: JSON with an entry per awaited child. */
export function joinResult(wait: ChildWait, run: RunRecord): string {
  const arrived = new Map(run.arrived.map((one) => [one.runId, one]));
  const results = wait.runIds.map((id) => {
    const child = arrived.get(id);
    return child ? { runId: id, status: child.status, summary: child.summary } : { runId: id, status: 'still running' };
  });
  return JSON.stringify(wait.single ? results[0] : { children: results });
}

/** A run that waits for children becomes claimable when its join is met or a stop is requested. */
export function wakeIfMet(run: RunRecord, now: number): Partial<RunRecord> {
  if (run.status !== 'WaitingForChildren' || run.runnable) return {};
  return joinMet(run) || run.control ? { runnable: true, runnableSince: now } : {};
}
