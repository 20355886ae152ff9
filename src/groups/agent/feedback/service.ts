// Lists and takes feedback on runs.
import { implement } from '../../../contract/operation.ts';
import { kept } from '../../kept.ts';
import type { FindRun } from '../runs/find-run.ts';
import type { WriteLog } from '../runs/run-log.ts';
import { agentFeedback } from './contract.ts';
import { type Feedback, toFeedbackDto } from './feedback.ts';

interface Deps {
  feedback: Feedback;
  findRun: FindRun;
  log: WriteLog;
}

export const agentFeedbackService = implement(agentFeedback, ({ feedback, findRun, log }: Deps) =>
  kept(agentFeedback, feedback, {
    below: { param: 'runId', parent: findRun },
    show: toFeedbackDto,
    draft: ({ rating, notes }, { name, userId }, run) =>
      feedback.draft({
        runId: run.id,
        runCreatedAt: run.createdAt,
        rating,
        notes: notes || null,
        ratedBy: name,
        ratedByUserId: userId,
      }),
    wrote: async ({ _id, runId, rating, notes }, { name }) => {
      const payload = { feedbackId: _id, by: name };
      await log(runId, [{ type: 'FeedbackAdded', title: rating, message: notes, payload }]);
    },
  }),
);
