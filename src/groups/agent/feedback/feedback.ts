// The feedback on runs, announced to whoever watches the run.
import { FeedbackRating } from '../../../contract/enums.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { type CollectionSpec, type Db, defineCollection, type Entity } from '../../../ports/db.ts';
import type { Ids } from '../../../ports/ids.ts';
import { type Intent, intentIndex, type Repairs } from '../../../ports/repairs.ts';
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
  /** While the rating is not in its run's sums. */
  intent?: Intent | null;
}

/** The sums of its ratings that a run's document holds. */
export interface RatedRun extends Entity {
  _id: number;
  tenantId: number;
  ratings?: number;
  ratingSum?: number;
}

export const feedbackSpec = defineCollection<FeedbackDoc>({
  name: 'agentFeedback',
  indexes: [
    { keys: { tenantId: 1, runId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, runCreatedAt: 1 } },
    intentIndex,
  ],
});

/** From 1 (VeryPoor) to 5 (Excellent). */
export const scoreOf = (rating: FeedbackRating): number => FeedbackRating.options.indexOf(rating) + 1;

export type FeedbackDraft = Omit<FeedbackDoc, '_id' | 'createdAt' | 'intent'>;

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
  repairs: Repairs;
  /** The documents of runs. */
  runs: CollectionSpec<RatedRun>;
}

const kind = 'rate-run';

export function createFeedback({ db, ids, clock, publisher, repairs, runs }: Deps) {
  const feedback = perTenant(db.collection(feedbackSpec));
  repairs.register({ collection: feedbackSpec, kind, complete: (one) => countRatings(db, runs, one) });
  return {
    of: feedback,
    async add(draft: FeedbackDraft): Promise<AgentFeedbackDto> {
      const document: FeedbackDoc = {
        ...draft,
        _id: await ids.next('agentFeedback'),
        createdAt: new Date(clock.now()),
        intent: repairs.intent(kind, null),
      };
      await feedback(draft.tenantId).insertOne(document);
      await repairs.settle(feedbackSpec, document);
      const data = toFeedbackDto(document);
      const topics = [`run:${draft.runId}`];
      await publisher.publish({ tenantId: draft.tenantId, topics, type: 'run.feedback', data });
      return data;
    },
  };
}

/**
 * Writes into a run's document how often and how it was rated, so that analytics add that up with the rest. Both only
 * grow, which makes it the same who of several writers comes last.
 */
export async function countRatings(
  db: Db,
  runs: CollectionSpec<RatedRun>,
  { tenantId, runId }: Pick<FeedbackDoc, 'tenantId' | 'runId'>,
): Promise<void> {
  const given = await db
    .collection(feedbackSpec)
    .find({ tenantId, runId }, { projection: { rating: 1 } })
    .toArray();
  const ratingSum = given.reduce((sum, { rating }) => sum + scoreOf(rating), 0);
  await db.collection(runs).updateOne({ _id: runId, tenantId }, { $max: { ratings: given.length, ratingSum } });
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
