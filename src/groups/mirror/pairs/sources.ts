// What can be learned from an escalation, from rated runs and from rated replies: pure.
import type { TrainingObjective } from '../../../contract/enums.ts';
import type { FoundEscalation, FoundRun } from '../../agent/searched.ts';
import type { ChatMessageDoc, ChatSessionDoc } from '../../chat/documents.ts';
import { preferenceOf, promptOf } from '../../chat/preferences.ts';
import type { NewPair } from './drafts.ts';

/** Options of an escalation as texts: a list of texts, or of objects that say what they are called. */
function optionsOf(json: string | null): string[] {
  if (json === null) return [];
  try {
    const all: unknown = JSON.parse(json);
    if (!Array.isArray(all)) return [];
    return all.flatMap((one: unknown) => {
      if (typeof one === 'string') return [one];
      const { label, title, name, option } = (one ?? {}) as Record<string, unknown>;
      const text = [label, title, name, option].find((value) => typeof value === 'string');
      return text === undefined ? [] : [text as string];
    });
  } catch {
    return [];
  }
}

const same = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase();

/** The decision, over what the supervisor recommended or else over the first option that was not taken. */
export function ofEscalation(one: FoundEscalation, identityId: number, objective: TrainingObjective): NewPair | null {
  const { situation, decision, supervisorRecommendation } = one;
  if (!decision?.trim()) return null;
  const options = optionsOf(one.optionsJson);
  const others = [supervisorRecommendation, ...options].filter(
    (text): text is string => !!text && !same(text, decision),
  );
  const listed = options.length > 0 ? `\n\nOptions:\n${options.map((text) => `- ${text}`).join('\n')}` : '';
  return {
    ...{ identityId, objective, systemPrompt: '', userPrompt: situation + listed },
    chosenResponse: decision,
    rejectedResponse: others[0] ?? '',
    curationNotes: one.decisionNotes,
    tags: ['escalation', ...(one.resolutionMode ? [`decided-by-${one.resolutionMode.toLowerCase()}`] : [])],
  };
}

/** Ratings of runs, 1 to 5: from `good` on an outcome is preferred, up to `poor` it is avoided. */
const [good, poor] = [4, 2];

/** What well rated runs have answered, over what poorly rated ones with the same goal have. */
export function ofRatedRuns(
  runs: readonly FoundRun[],
  scores: ReadonlyMap<number, number>,
  identityId: number,
  objective: TrainingObjective,
) {
  const answer = ({ result }: FoundRun) => result?.deliverable?.trim() || result?.summary?.trim() || '';
  const score = ({ _id }: FoundRun) => scores.get(_id) ?? 3;
  return runs
    .filter((run) => score(run) >= good)
    .map((run) => {
      const chosen = answer(run);
      const worse = runs.find(
        (other) => same(other.goal, run.goal) && score(other) <= poor && answer(other) !== chosen,
      );
      const pair: NewPair | null = chosen
        ? {
            ...{ identityId, objective, systemPrompt: '', userPrompt: run.goal, chosenResponse: chosen },
            ...{ rejectedResponse: worse ? answer(worse) : '', tags: ['run'] },
          }
        : null;
      return { pair, sourceReference: `run:${run._id}` };
    });
}

/** Rated replies of a session that no pair was made of. */
export function ofReplies(
  session: ChatSessionDoc,
  messages: readonly ChatMessageDoc[],
  identityId: number,
  objective: TrainingObjective,
  { fromUtc, toUtc }: { fromUtc?: string | null | undefined; toUtc?: string | null | undefined },
) {
  const [from, to] = [fromUtc ? Date.parse(fromUtc) : 0, toUtc ? Date.parse(toUtc) : Number.POSITIVE_INFINITY];
  return messages
    .filter(({ role, feedback }) => role === 'assistant' && feedback?.rating && feedback.trainingPairId === null)
    .filter(({ createdAt }) => createdAt >= from && createdAt <= to)
    .map((message) => {
      const said = message.feedback && preferenceOf(messages, message, message.feedback);
      const pair: NewPair | null = said
        ? {
            ...{
              identityId,
              objective,
              ...said,
              systemPrompt: promptOf(session, message),
              tags: message.feedback?.tags ?? [],
            },
            curationNotes: message.feedback?.comment ?? null,
          }
        : null;
      return { message, pair, sourceReference: `chat:${session._id}/message:${message._id}` };
    });
}
