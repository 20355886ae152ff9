// What a rated reply says about answers: which one to prefer, and which one to avoid.
import { branchOf } from '../../../runtime/chat/branch.ts';
import type { ChatMessageDoc, ChatSessionDoc, Feedback } from './documents.ts';

export const unrated: Feedback = {
  ...{ rating: null, score: 0, tags: null, comment: null, correction: null, trainingPairId: null },
};

/** The instructions that a person gave for the reply; never what the server adds, such as memories. */
export const promptOf = (session: Pick<ChatSessionDoc, 'systemPrompt'>, { options }: Pick<ChatMessageDoc, 'options'>) =>
  options.systemPrompt ?? session.systemPrompt ?? '';

/**
 * What was asked, what to prefer and what to avoid: a correction, or another branch of the same question; null where
 * nothing is to be preferred. What was hidden from the model is not learned from.
 */
export function preferenceOf(all: readonly ChatMessageDoc[], message: ChatMessageDoc, feedback: Feedback) {
  const shown = all.filter(({ hidden }) => !hidden);
  const branch = branchOf(
    all.map((one) => ({ ...one, id: one._id })),
    message.parentId,
  );
  const asked = branch.findLast(({ role }) => role === 'user');
  if (message.hidden || !asked || asked.hidden) return null;
  const userPrompt = asked.content;
  if (feedback.correction)
    return { userPrompt, chosenResponse: feedback.correction, rejectedResponse: message.content };
  const beside = shown.filter(
    ({ parentId, _id, role }) => parentId === message.parentId && _id !== message._id && role === 'assistant',
  );
  const rated = (rating: 'up' | 'down') => beside.findLast((one) => one.feedback?.rating === rating)?.content ?? '';
  if (feedback.rating === 'up') return { userPrompt, chosenResponse: message.content, rejectedResponse: rated('down') };
  const better = rated('up');
  if (feedback.rating !== 'down' || !better) return null;
  return { userPrompt, chosenResponse: better, rejectedResponse: message.content };
}
