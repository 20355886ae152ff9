// Lists and takes feedback on runs.
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import { aboutRun, type FindRun } from '../runs/find-run.ts';
import type { WriteLog } from '../runs/run-log.ts';
import { agentFeedback } from './contract.ts';
import { type Feedback, toFeedbackDto } from './feedback.ts';

interface Deps {
  feedback: Feedback;
  findRun: FindRun;
  log: WriteLog;
}

export const agentFeedbackService = implement(agentFeedback, ({ feedback, findRun, log }: Deps) => ({
  list: aboutRun(findRun)(async ({ caller, run, query }) => {
    const { items, totalCount } = await feedback.page(caller, query, { within: { runId: run.id } });
    return toPage(items.map(toFeedbackDto), totalCount, query);
  }),
  create: aboutRun(findRun)(async ({ caller, run, body }) => {
    const given = await feedback.add({
      tenantId: caller.tenantId,
      runId: run.id,
      runCreatedAt: run.createdAt,
      rating: body.rating,
      notes: body.notes || null,
      ratedBy: caller.name,
      ratedByUserId: caller.userId,
    });
    await log(run.id, [
      {
        type: 'FeedbackAdded',
        title: given.rating,
        message: given.notes,
        payload: { feedbackId: given.id, by: caller.name },
      },
    ]);
    return given;
  }),
}));
