// Ratings of replies, and the training pairs that come of them.
import type { ChatSink } from '../../../runtime/chat/ports.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Handlers } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { createCurators } from '../mirror/curators.ts';
import { pairDraft } from '../mirror/pairs/drafts.ts';
import { trainingPairRecord } from '../mirror/pairs/record.ts';
import type { Access } from './access.ts';
import type { chat } from './contract.ts';
import type { ChatDocuments, ChatMessageDoc, ChatSessionDoc, Feedback } from './documents.ts';
import { preferenceOf, promptOf, unrated } from './preferences.ts';

export interface FeedbackDeps extends Pick<ChatDocuments, 'messages'> {
  db: Db;
  ids: Ids;
  clock: Clock;
  access: Access;
  sink: ChatSink;
}

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
  const pairs = createKeeper(trainingPairRecord, deps);
  const said = await responses(deps, rated);
  const texts = { ...said, curationNotes: feedback.comment, tags: feedback.tags ?? [] };
  const fresh = pairDraft(await createCurators(deps).of(caller), {
    ...{ ...texts, identityId, systemPrompt: promptOf(session, message), objective: 'Helpfulness' },
    sourceReference: `chat:${session._id}/message:${message._id}`,
  });
  const known = feedback.trainingPairId === null ? null : await pairs.find(caller, feedback.trainingPairId, draft);
  const { _id } = known
    ? await pairs.change(caller, known._id, texts, { within: draft })
    : await pairs.insert(caller, fresh);
  return _id;
}

/** What nobody has curated is written anew by a later rating. */
const draft = { curationStatus: 'Draft' } as const;

async function responses({ messages }: FeedbackDeps, { caller, message, feedback }: Rated) {
  const all = await messages(caller.tenantId)
    .find({ sessionId: message.sessionId }, { sort: { _id: 1 } })
    .toArray();
  const said = preferenceOf(all, message, feedback);
  if (said) return said;
  throw new Fault('VALIDATION_FAILED', 'A training pair needs an answer to prefer.', {
    hint: 'Rate the reply up, send feedbackCorrection, or rate another reply to the same message up first.',
  });
}
