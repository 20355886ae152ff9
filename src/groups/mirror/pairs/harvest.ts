// Makes drafts of training pairs of what was decided and rated: escalations, runs and replies.
import type { Caller } from '../../../contract/caller.ts';
import type { TrainingObjective } from '../../../contract/enums.ts';
import type { Filter } from '../../../ports/db.ts';
import { visibleTo } from '../../../ports/in-project.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import { type FeedbackDoc, scoreOf } from '../../agent/feedback/feedback.ts';
import type { FoundRuns } from '../../agent/searched.ts';
import { ownedBy } from '../../chat/access.ts';
import type { ChatDocuments } from '../../chat/documents.ts';
import { unrated } from '../../chat/preferences.ts';
import { during } from '../times.ts';
import type { PairBook } from './book.ts';
import type { NewPair } from './drafts.ts';
import type { TrainingPairDoc } from './record.ts';
import { ofEscalation, ofRatedRuns, ofReplies } from './sources.ts';

export interface Harvest {
  identityId: number;
  fromUtc?: string | null | undefined;
  toUtc?: string | null | undefined;
  objective?: TrainingObjective | null | undefined;
  max?: number | null | undefined;
  dryRun?: boolean | null | undefined;
}

interface Deps {
  ofRuns: FoundRuns;
  feedback: PerTenant<FeedbackDoc>;
  chats: Pick<ChatDocuments, 'sessions' | 'messages'>;
  pairs: Keeper<TrainingPairDoc>;
  book: PairBook;
}

/** A pair with what it comes from, and what is to be noted there once it is kept. */
interface Found {
  pair: NewPair | null;
  sourceReference: string;
  kept?: (pairId: number) => Promise<unknown>;
}

const most = 100;
/** Runs and sessions that one harvest looks at, the newest first. */
const looked = 500;

/** Times in collections of the engine are ms. */
const between = ({ fromUtc, toUtc }: Harvest) => during(fromUtc, toUtc, Date.parse);

export function createHarvests(deps: Deps) {
  const { ofRuns, chats, pairs, book } = deps;
  const keep = async (caller: Caller, { identityId, max, dryRun }: Harvest, found: readonly Found[]) => {
    const references = found.map((one) => one.sourceReference);
    const there = await pairs
      .of(caller.tenantId)
      .find({ identityId, sourceReference: { $in: references } })
      .toArray();
    const known = new Set(there.map((pair) => pair.sourceReference));
    const fresh = found.filter(({ pair, sourceReference }) => pair !== null && !known.has(sourceReference));
    const taken = fresh.slice(0, max ?? most);
    const pairIds: number[] = [];
    for (const { pair, sourceReference, kept } of dryRun ? [] : taken) {
      const { _id } = await book.add(caller, { ...(pair as NewPair), sourceReference });
      await kept?.(_id);
      pairIds.push(_id);
    }
    return { scanned: found.length, created: taken.length, skipped: found.length - taken.length, pairIds };
  };

  /** What chats ask is their owners'; what runs ask is everybody's who sees their project. */
  const isOpen = async (caller: Caller, sessionId: number | null): Promise<boolean> =>
    sessionId === null ||
    (await chats.sessions(caller.tenantId).findOne({ ...ownedBy(caller), _id: sessionId })) !== null;

  return {
    async escalations(caller: Caller, harvest: Harvest & { minConfidence?: number | null | undefined }) {
      const { identityId, minConfidence, objective } = harvest;
      const sure = minConfidence == null ? {} : { confidence: { $gte: minConfidence } };
      const decided = { identityId, status: 'Resolved', ...between(harvest), ...sure };
      const found = await ofRuns
        .escalations(caller.tenantId)
        .find({ $and: [decided, visibleTo(caller)] } as never, { sort: { createdAt: -1 }, limit: looked })
        .toArray();
      const open: Found[] = [];
      for (const one of found)
        if (await isOpen(caller, one.chatSessionId))
          open.push({
            pair: ofEscalation(one, identityId, objective ?? 'Escalation'),
            sourceReference: `escalation:${one._id}`,
          });
      return keep(caller, harvest, open);
    },

    async ratings(caller: Caller, harvest: Harvest) {
      const replies = await repliesOf(deps, caller, harvest);
      return keep(caller, harvest, [...(await runsOf(deps, caller, harvest)), ...replies]);
    },
  };
}
export type Harvests = ReturnType<typeof createHarvests>;

async function runsOf({ ofRuns, feedback }: Deps, caller: Caller, harvest: Harvest): Promise<Found[]> {
  const { identityId, objective } = harvest;
  const rated = { identityId, ratings: { $gt: 0 }, ...between(harvest) };
  const runs = await ofRuns
    .runs(caller.tenantId)
    .find({ $and: [rated, visibleTo(caller)] } as never, { sort: { createdAt: -1 }, limit: looked })
    .toArray();
  const ids = runs.map(({ _id }) => _id);
  const given = await feedback(caller.tenantId)
    .find({ runId: { $in: ids } })
    .toArray();
  const scores = new Map<number, number>();
  for (const { runId, rating } of given) scores.set(runId, scoreOf(rating));
  return ofRatedRuns(runs, scores, identityId, objective ?? 'Helpfulness');
}

async function repliesOf({ chats }: Deps, caller: Caller, harvest: Harvest): Promise<Found[]> {
  const { identityId, objective } = harvest;
  const { tenantId } = caller;
  const own = {
    $and: [ownedBy(caller), { $or: [{ identityId }, { identityId: null, ownerIdentityId: identityId }] }],
  };
  const sessions = await chats
    .sessions(tenantId)
    .find(own as Filter<never>, { sort: { updatedAt: -1 }, limit: looked })
    .toArray();
  const found: Found[] = [];
  for (const session of sessions) {
    const messages = await chats
      .messages(tenantId)
      .find({ sessionId: session._id }, { sort: { _id: 1 } })
      .toArray();
    for (const reply of ofReplies(session, messages, identityId, objective ?? 'Helpfulness', harvest))
      found.push({
        ...reply,
        kept: (trainingPairId) =>
          chats
            .messages(tenantId)
            .updateOne(
              { _id: reply.message._id },
              { $set: { feedback: { ...(reply.message.feedback ?? unrated), trainingPairId } } },
            ),
      });
  }
  return found;
}
