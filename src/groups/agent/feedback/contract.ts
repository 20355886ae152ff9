// Feedback: what people think of a run.
import { FeedbackRating } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { fields, string } from '../../../contract/types.ts';
import { AgentFeedbackDto } from '../dto.ts';

export const agentFeedback = group(
  'Agent',
  { id: 'AgentFeedback', base: '/api/agent/runs/{runId}/feedback', doc: 'Ratings of runs.' },
  {
    list: op.get('', {
      doc: 'List the feedback on a run, newest first.',
      needs: 'RunsRead',
      query: listQuery(['createdAtUtc', 'id'], {}),
      data: page(AgentFeedbackDto),
    }),
    create: op.post('', {
      doc: 'Rate a run.',
      needs: 'RunsWrite',
      body: fields({ rating: FeedbackRating, notes: string.trim().max(8000).nullish() }),
      data: AgentFeedbackDto,
    }),
  },
);
