// Checkpoints: named positions in the message log, small because the log itself is never copied.
import type { Checkpoint, RunRecord } from '../records.ts';
import type { Bag } from './bag.ts';

/** Turns between two checkpoints that nobody asked for. */
const everyTurns = 5;

/** Saves a checkpoint: always when `label` is given, else every few turns. */
export async function saveCheckpoint(bag: Bag, run: RunRecord, label: string | null): Promise<Checkpoint | null> {
  if (label === null && run.iterationsUsed % everyTurns !== 0) return null;
  const checkpoint = checkpointOf(run, label, bag.clock.now());
  await bag.store.checkpoints.save(checkpoint);
  return checkpoint;
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
