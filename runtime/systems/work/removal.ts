// Takes an ended run out of the store.
import { hasEnded, refusal } from '../../state/run.ts';
import type { Bag } from '../records/core.ts';
import { runOf } from '../records/find-run.ts';

/**
 * Removes a run that has ended or never began, with its logs and files; its share of the tree's pool stays used. `removeParts`
 * is called first, once the run may go: what a crash leaves is found again by who deletes the run.
 */
export async function removeRun(bag: Bag, runId: number, removeParts = async () => {}): Promise<void> {
  const run = await runOf(bag, runId);
  if (!hasEnded(run.status) && run.status !== 'Pending') throw refusal(run, 'be deleted');
  await removeParts();
  await bag.store.runs.remove(runId);
  // What cannot be deleted now is found by whoever clears the disk up.
  await bag.handover
    ?.discard(run)
    .catch((error: unknown) => bag.log.warn({ err: error, runId }, 'the files of a deleted run are still there'));
  bag.told.delete(runId);
  bag.published.delete(runId);
}
