// The feedback on runs, announced to whoever watches the run.
import { FeedbackRating } from '../../../contract/enums.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { CollectionSpec, Db, Entity } from '../../../ports/db.ts';
import type { Ids } from '../../../ports/ids.ts';
import { createKeeper } from '../../../ports/keeper.ts';
import { type Draft, record } from '../../../ports/record.ts';
import { type Intent, intentIndex, type Repairs } from '../../../ports/repairs.ts';
import { shown } from '../../../ports/shown.ts';
import type { Publisher } from '../../../ports/stream.ts';
import { AgentFeedbackDto } from '../dto.ts';

export interface FeedbackDoc {
  _id: number;
  tenantId: number;
  runId: number;
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

const feedbackRecord = record<FeedbackDoc>('agent_feedback', {
  noun: 'feedback',
  list: 'GET /api/agent/runs/{runId}/feedback',
  order: '-createdAtUtc',
  lacks: ['guid', 'updatedAt'],
  indexes: [
    { keys: { tenantId: 1, runId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, ratedByUserId: 1 } },
    intentIndex,
  ],
});

export const { spec: feedbackSpec } = feedbackRecord;

/** From 1 (VeryPoor) to 5 (Excellent). */
export const scoreOf = (rating: FeedbackRating): number => FeedbackRating.options.indexOf(rating) + 1;

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

export function createFeedback({ publisher, repairs, runs, ...deps }: Deps) {
  const { db } = deps;
  repairs.register({
    collection: feedbackSpec,
    kind,
    complete: (one) => countRatings(db, { runs, feedback: feedbackSpec }, one),
  });
  const feedback = createKeeper(feedbackRecord, {
    ...deps,
    told: async ({ doc }) => {
      await repairs.settle(feedbackSpec, doc);
      await publisher.publish({
        tenantId: doc.tenantId,
        topics: [`run:${doc.runId}`],
        type: 'run.feedback',
        data: toFeedbackDto(doc),
      });
    },
  });
  return {
    ...feedback,
    /** New feedback, with the intent to count it in its run. */
    draft: (content: Omit<Draft<FeedbackDoc>, 'intent'>): Draft<FeedbackDoc> => ({
      ...content,
      intent: repairs.intent(kind, null),
    }),
  };
}

/**
 * Writes into a run's document how often and how it was rated, so that analytics add that up with the rest. Both only
 * grow, which makes it the same who of several writers comes last.
 */
export async function countRatings(
  db: Db,
  { runs, feedback }: { runs: CollectionSpec<RatedRun>; feedback: CollectionSpec<FeedbackDoc> },
  { tenantId, runId }: Pick<FeedbackDoc, 'tenantId' | 'runId'>,
): Promise<void> {
  const given = await db
    .collection(feedback)
    .find({ tenantId, runId }, { projection: { rating: 1 } })
    .toArray();
  const ratingSum = given.reduce((sum, { rating }) => sum + scoreOf(rating), 0);
  await db.collection(runs).updateOne({ _id: runId, tenantId }, { $max: { ratings: given.length, ratingSum } });
}
export type Feedback = ReturnType<typeof createFeedback>;

export const toFeedbackDto = (feedback: FeedbackDoc): AgentFeedbackDto => shown(AgentFeedbackDto, feedback);
