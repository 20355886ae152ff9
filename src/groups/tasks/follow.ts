// A task follows the end of the run that works on it.
import type { RunRecord } from '../../../runtime/records.ts';
import { hasEnded } from '../../../runtime/state/run.ts';
import type { TaskStatus } from '../../contract/enums.ts';
import type { Db } from '../../ports/db.ts';
import { polled } from '../../ports/polled.ts';
import { shortTitle, theServer } from '../../projects/activity.ts';
import type { TaskBook } from './book.ts';
import { taskRecord } from './record.ts';

interface Deps {
  db: Db;
  book: TaskBook;
  findRun(id: number): Promise<RunRecord | null>;
}

/** Where a task goes when its run has ended; what it delivered is for somebody to review. */
export function statusAfter(run: Pick<RunRecord, 'status' | 'contractDeliverable'>): TaskStatus {
  if (run.status === 'Completed') return run.contractDeliverable ? 'InReview' : 'Done';
  return run.status === 'Cancelled' ? 'Todo' : 'Blocked';
}

/** One look for tasks whose runs have ended; nodes may look at the same time. */
export function createFollowing({ db, book, findRun }: Deps) {
  const all = db.collection(taskRecord.spec);
  const running = polled(all, () => all.find({ runningRunId: { $gt: 0 } }, { limit: 500 }).toArray());
  return async (): Promise<void> => {
    for (const task of await running()) {
      const run = await findRun(task.runningRunId);
      if (run && !hasEnded(run.status)) continue;
      const by = { tenantId: task.tenantId };
      const own = { _id: task._id, runningRunId: task.runningRunId };
      // Somebody has moved it on meanwhile: it follows nobody any more.
      if (!run || task.status !== 'InProgress') {
        await all.updateOne(own, { $set: { runningRunId: 0 } });
        continue;
      }
      const reason = `Run ${run.id} ${run.status === 'Completed' ? 'completed' : run.status.toLowerCase()}${run.failureReason ? `: ${shortTitle(run.failureReason)}` : ''}.`;
      const how = { actor: theServer, reason, force: true, fields: { runningRunId: 0 } };
      await book.moveTo(by, task, statusAfter(run), how).catch(() => all.updateOne(own, { $set: { runningRunId: 0 } }));
    }
  };
}
