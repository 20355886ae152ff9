// Checkpoints: named positions in the message log, small because the log itself is never copied.
import type { Checkpoint, RunRecord } from '../records.ts';
import type { Bag, LiveRun } from './bag.ts';
import { commitDeferred } from './commits.ts';

/** Turns between two checkpoints that nobody asked for. */
const everyTurns = 5;

/** Saves a checkpoint every few turns. */
export async function saveCheckpoint(bag: Bag, live: LiveRun): Promise<void> {
  if (live.run.iterationsUsed % everyTurns !== 0) return;
  await commitDeferred(bag, live);
  await bag.store.checkpoints.save(checkpointOf(live.run, null, bag.clock.now()));
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
