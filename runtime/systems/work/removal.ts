// Removal of an ended run from the store.
import { hasEnded, refusal } from '../../state/run.ts';
import type { Core } from '../records/core.ts';
import { runOf } from '../records/find-run.ts';

/**
 * Removes a run that has ended or never began, with its logs and files; its use of the tree's pool still counts.
 * `removeParts` runs first, once the removal is allowed; after a crash a second removal finds the rest. The tree goes with
 * its last run.
 */
export async function removeRun(core: Core, runId: number, removeParts = async () => {}): Promise<void> {
  const run = await runOf(core, runId);
  if (!hasEnded(run.status) && run.status !== 'Pending') throw refusal(run, 'be deleted');
  // A run may still be telling people of a question, which would be left behind.
  await core.live.get(runId)?.done;
  await removeParts();
  await core.store.runs.remove(runId);
  await core.store.trees.removeEmpty(run.rootRunId);
  // The sweep of the disk deletes later what cannot be deleted now.
  await core.handover
    ?.discard(run)
    .catch((error: unknown) => core.log.warn({ err: error, runId }, 'the files of a deleted run are still there'));
  core.told.delete(runId);
  core.published.delete(runId);
}
