// Takes an ended run out of the store.
import { hasEnded, refusal } from '../../state/run.ts';
import type { Core } from '../records/core.ts';
import { runOf } from '../records/find-run.ts';

/**
 * Removes a run that has ended or never began, with its logs and files; its share of the tree's pool stays used. `removeParts`
 * is called first, once the run may go: what a crash leaves is found again by who deletes the run.
 */
export async function removeRun(core: Core, runId: number, removeParts = async () => {}): Promise<void> {
  const run = await runOf(core, runId);
  if (!hasEnded(run.status) && run.status !== 'Pending') throw refusal(run, 'be deleted');
  await removeParts();
  await core.store.runs.remove(runId);
  // The sweep of the disk deletes what cannot be deleted now.
  await core.handover
    ?.discard(run)
    .catch((error: unknown) => core.log.warn({ err: error, runId }, 'the files of a deleted run are still there'));
  core.told.delete(runId);
  core.published.delete(runId);
}
