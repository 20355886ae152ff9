// The feedback on runs, announced to whoever watches the run.
import { FeedbackRating } from '../../../contract/enums.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { type Db, defineCollection } from '../../../ports/db.ts';
import type { Ids } from '../../../ports/ids.ts';
import type { Publisher } from '../../../ports/stream.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import type { AgentFeedbackDto } from '../dto.ts';

export interface FeedbackDoc {
  _id: number;
  tenantId: number;
  runId: number;
  /** When the run was created, ms since 1970 UTC: analytics look for runs by it. */
  runCreatedAt: number;
  rating: FeedbackRating;
  notes: string | null;
  ratedBy: string | null;
  ratedByUserId: number | null;
  createdAt: Date;
}

export const feedbackSpec = defineCollection<FeedbackDoc>({
  name: 'agentFeedback',
  indexes: [{ keys: { tenantId: 1, runId: 1, createdAt: -1 } }, { keys: { tenantId: 1, runCreatedAt: 1 } }],
});

/** From 1 (VeryPoor) to 5 (Excellent). */
export const scoreOf = (rating: FeedbackRating): number => FeedbackRating.options.indexOf(rating) + 1;

export type FeedbackDraft = Omit<FeedbackDoc, '_id' | 'createdAt'>;

export function createFeedback(deps: { db: Db; ids: Ids; clock: Clock; publisher: Publisher }) {
  const { db, ids, clock, publisher } = deps;
  const feedback = perTenant(db.collection(feedbackSpec));
  return {
    of: feedback,
    async add(draft: FeedbackDraft): Promise<AgentFeedbackDto> {
      const document = { ...draft, _id: await ids.next('agentFeedback'), createdAt: new Date(clock.now()) };
      await feedback(draft.tenantId).insertOne(document);
      const data = toFeedbackDto(document);
      const topics = [`run:${draft.runId}`];
      await publisher.publish({ tenantId: draft.tenantId, topics, type: 'run.feedback', data });
      return data;
    },
  };
}
export type Feedback = ReturnType<typeof createFeedback>;

export function toFeedbackDto(feedback: FeedbackDoc): AgentFeedbackDto {
  return {
    id: feedback._id,
    runId: feedback.runId,
    rating: feedback.rating,
    notes: feedback.notes,
    ratedBy: feedback.ratedBy,
    createdAtUtc: feedback.createdAt.toISOString(),
  };
}
