// Ratings of replies, and the training pairs that come of them.
import { randomUUID } from 'node:crypto';
import { branchOf } from '../../../runtime/chat/branch.ts';
import type { ChatSink } from '../../../runtime/chat/ports.ts';
import type { Caller } from '../../contract/caller.ts';
import type { CurationStatus, CuratorType, TrainingObjective } from '../../contract/enums.ts';
import type { Handlers } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Db, defineCollection } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { perTenant } from '../../ports/tenanted.ts';
import type { Access } from './access.ts';
import type { chat } from './contract.ts';
import type { ChatDocuments, ChatMessageDoc, ChatSessionDoc, Feedback } from './documents.ts';

/** A prompt with the answer to prefer, and where there is one the answer to avoid. */
export interface TrainingPairDoc {
  _id: number;
  guid: string;
  tenantId: number;
  identityId: number;
  systemPrompt: string;
  userPrompt: string;
  chosenResponse: string;
  rejectedResponse: string;
  objective: TrainingObjective;
  curationStatus: CurationStatus;
  curatorType: CuratorType;
  curatorName: string | null;
  curationNotes: string | null;
  sourceReflectionId: number | null;
  sourceReference: string | null;
  tags: string[];
  createdAt: Date;
}

export const trainingPairSpec = defineCollection<TrainingPairDoc>({
  name: 'training_pairs',
  indexes: [{ keys: { tenantId: 1, identityId: 1, createdAt: -1 } }],
});

export interface FeedbackDeps extends Pick<ChatDocuments, 'messages'> {
  db: Db;
  ids: Ids;
  clock: Clock;
  access: Access;
  sink: ChatSink;
}

const unrated: Feedback = { rating: null, score: 0, tags: null, comment: null, correction: null, trainingPairId: null };

export function feedbackHandlers(deps: FeedbackDeps): Pick<Handlers<typeof chat>, 'rate'> {
  const { messages, access } = deps;
  return {
    rate: async ({ caller, params, body }) => {
      const { message, session } = await access.message(caller, params.messageId);
      if (message.role !== 'assistant')
        throw new Fault('VALIDATION_FAILED', 'Only replies are rated.', {
          hint: 'Name a message with role assistant.',
        });
      const before = message.feedback ?? unrated;
      const pick = <T>(value: T | undefined, known: T): T => (value === undefined ? known : value);
      const rating = pick(body.feedback, before.rating);
      const feedback: Feedback = {
        rating,
        score: body.feedbackScore ?? (body.feedback === undefined ? before.score : scoreOf(rating)),
        tags: pick(body.feedbackTags, before.tags),
        comment: pick(body.feedbackComment, before.comment),
        correction: pick(body.feedbackCorrection, before.correction),
        trainingPairId: before.trainingPairId,
      };
      if (body.createTrainingPair)
        feedback.trainingPairId = await keepPair(deps, { caller, session, message, feedback });
      await messages(caller.tenantId).updateOne({ _id: message._id }, { $set: { feedback } });
      return {
        messageId: message._id,
        feedback: rating,
        trainingPairId: feedback.trainingPairId,
        mirrorNote: feedback.trainingPairId === null ? null : 'Kept as a draft for the identity to learn from.',
      };
    },
  };
}

const scoreOf = (rating: 'up' | 'down' | null) => (rating === 'up' ? 1 : rating === 'down' ? -1 : 0);

interface Rated {
  caller: Caller;
  session: ChatSessionDoc;
  message: ChatMessageDoc;
  feedback: Feedback;
}

/** Stores the pair of a rated reply, or writes its draft anew; its id. */
async function keepPair(deps: FeedbackDeps, rated: Rated): Promise<number> {
  const { caller, session, message, feedback } = rated;
  const identityId = session.identityId ?? session.ownerIdentityId;
  if (identityId === null)
    throw new Fault('VALIDATION_FAILED', 'A training pair belongs to an identity, and this session has none.', {
      hint: 'Give the session one with PATCH /api/chat/sessions/{id}.',
    });
  const pairs = perTenant(deps.db.collection(trainingPairSpec))(caller.tenantId);
  const said = await responses(deps, rated);
  const texts = { ...said, curationNotes: feedback.comment, tags: feedback.tags ?? [] };
  const known = { _id: feedback.trainingPairId ?? -1, curationStatus: 'Draft' } as const;
  if ((await pairs.updateOne(known, { $set: texts })).matchedCount > 0) return known._id;
  const pair: TrainingPairDoc = {
    ...texts,
    _id: await deps.ids.next('training_pairs'),
    guid: randomUUID(),
    tenantId: caller.tenantId,
    identityId,
    systemPrompt: message.options.systemPrompt ?? session.systemPrompt ?? '',
    objective: 'Helpfulness',
    curationStatus: 'Draft',
    curatorType: caller.kind === 'IdentityKey' || caller.kind === 'Run' ? 'Agent' : 'Human',
    curatorName: caller.name,
    sourceReflectionId: null,
    sourceReference: `chat:${session._id}/message:${message._id}`,
    createdAt: new Date(deps.clock.now()),
  };
  await pairs.insertOne(pair);
  return pair._id;
}

/** What was asked, what to prefer and what to avoid: a correction, or another branch of the same question. */
async function responses({ messages }: FeedbackDeps, { caller, message, feedback }: Rated) {
  const all = await messages(caller.tenantId)
    .find({ sessionId: message.sessionId }, { sort: { _id: 1 } })
    .toArray();
  const branch = branchOf(
    all.map((one) => ({ ...one, id: one._id })),
    message.parentId,
  );
  const userPrompt = branch.findLast(({ role }) => role === 'user')?.content ?? '';
  if (feedback.correction)
    return { userPrompt, chosenResponse: feedback.correction, rejectedResponse: message.content };
  const beside = all.filter(
    ({ parentId, _id, role }) => parentId === message.parentId && _id !== message._id && role === 'assistant',
  );
  const rated = (rating: 'up' | 'down') => beside.findLast((one) => one.feedback?.rating === rating)?.content ?? '';
  if (feedback.rating === 'up') return { userPrompt, chosenResponse: message.content, rejectedResponse: rated('down') };
  const better = rated('up');
  if (feedback.rating === 'down' && better)
    return { userPrompt, chosenResponse: better, rejectedResponse: message.content };
  throw new Fault('VALIDATION_FAILED', 'A training pair needs an answer to prefer.', {
    hint: 'Rate the reply up, send feedbackCorrection, or rate another reply to the same message up first.',
  });
}
