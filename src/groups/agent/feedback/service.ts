// Lists and takes feedback on runs.
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import { pageOf } from '../../../ports/page-of.ts';
import { sortOf } from '../../../ports/sort-of.ts';
import type { FindRun } from '../runs/find-run.ts';
import type { WriteLog } from '../runs/run-log.ts';
import { agentFeedback } from './contract.ts';
import { type Feedback, toFeedbackDto } from './feedback.ts';

interface Deps {
  feedback: Feedback;
  findRun: FindRun;
  log: WriteLog;
}

export const agentFeedbackService = implement(agentFeedback, ({ feedback, findRun, log }: Deps) => ({
  list: async ({ caller, params, query }) => {
    await findRun(caller, params.runId);
    const { items, totalCount } = await pageOf(feedback.of(caller.tenantId), {
      ...query,
      filter: { runId: params.runId },
      sort: sortOf<never>(query.sort ?? '-createdAtUtc'),
    });
    return toPage(items.map(toFeedbackDto), totalCount, query);
  },
  create: async ({ caller, params, body }) => {
    const run = await findRun(caller, params.runId);
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
  },
}));
