// Checkpoints: named positions in the message log. They are small, because the log itself is never copied.
import type { Checkpoint, RunRecord } from '../../records.ts';
import type { Core, LiveRun } from './core.ts';

/** Turns between two automatic checkpoints. */
const everyTurns = 5;

/** The automatic checkpoint of the turn that has just ended, if due. */
export const dueCheckpoint = (core: Core, { run }: LiveRun): Checkpoint | null =>
  run.iterationsUsed % everyTurns === 0 ? checkpointOf(run, null, core.clock.now()) : null;

/** Saves a checkpoint; the run does not wait for it. */
export function saveCheckpoint(core: Core, live: LiveRun, checkpoint: Checkpoint | null): void {
  if (!checkpoint) return;
  const saved = core.store.checkpoints.save(checkpoint);
  live.saving = saved.catch((error) => core.log.warn({ err: error, runId: live.run.id }, 'a checkpoint was not saved'));
}

/** The checkpoint of a run's present state. */
export function checkpointOf(run: RunRecord, label: string | null, now: number): Checkpoint {
  const state = {
    messageCount: run.messageCount,
    context: run.context,
    planJson: run.planJson,
    progressSummary: run.progressSummary,
  };
  return {
    id: `${run.id}-${run.restarts}-${run.messageCount}`,
    runId: run.id,
    iteration: run.iterationsUsed,
    status: run.status,
    tokensUsed: run.tokensUsed,
    costUsd: run.costUsd,
    summary: label ?? run.progressSummary,
    commitSha: null,
    sizeBytes: JSON.stringify(state).length,
    createdAt: now,
    ...state,
  };
}
