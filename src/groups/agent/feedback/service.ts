// Lists and takes feedback on runs.
import { implement } from '../../../contract/operation.ts';
import type { Bonds } from '../../../ports/bonds.ts';
import { kept } from '../../kept.ts';
import type { FindRun } from '../runs/find-run.ts';
import type { WriteLog } from '../runs/run-log.ts';
import { agentFeedback } from './contract.ts';
import { type Feedback, scoreOf, toFeedbackDto } from './feedback.ts';

interface Deps {
  feedback: Feedback;
  findRun: FindRun;
  log: WriteLog;
  bonds?: Bonds;
}

export const agentFeedbackService = implement(agentFeedback, ({ feedback, findRun, log, bonds }: Deps) =>
  kept(agentFeedback, feedback, {
    below: { param: 'runId', parent: findRun },
    show: toFeedbackDto,
    draft: ({ rating, notes }, { name, userId }, run) =>
      feedback.draft({
        runId: run.id,
        rating,
        notes: notes || null,
        ratedBy: name,
        ratedByUserId: userId,
      }),
    wrote: async ({ _id, runId, rating, notes, createdAt: at }, caller) => {
      const { name, identityId: from, tenantId } = caller;
      const payload = { feedbackId: _id, by: name };
      await log(runId, [{ type: 'FeedbackAdded', title: rating, message: notes, payload }]);
      if (!bonds || from === null) return;
      const { identityId: to } = await findRun(caller, runId);
      // From -1 for the worst rating to 1 for the best.
      const sentiment = (scoreOf(rating) - 3) / 2;
      const summary = `${rating}: run ${runId}${notes ? `, ${notes.slice(0, 200)}` : ''}`;
      await bonds.note({ tenantId, from, to, kind: 'Feedback', summary, sentiment, runId, at, key: `feedback:${_id}` });
    },
  }),
);
