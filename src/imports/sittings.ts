// Groups questions with their answers into conversations, by the time between them, whichever way they are sorted.
import { conversation } from './conversation.ts';
import { titleOf } from './fields.ts';
import type { Parsed, ParsedMessage } from './shapes.ts';

/** Milliseconds after which a further question begins another conversation. */
const pauseMs = 30 * 60_000;
/** Questions of one conversation at most, and characters. */
const most = 500;
const longest = 4_000_000;

export interface Activity {
  prompt: string;
  answer: string;
  /** Answers that were made besides. */
  others?: readonly string[];
  at: Date | null;
}

/** What Takeout puts before a question, in the languages that were seen. */
const verbs =
  /^(?:prompted|asked|said|sent|searched for|gefragt|gesagt|angefordert|prompt|has preguntado|solicitó|a demandé|demandé|vous avez demandé|hai chiesto|richiesto|perguntou|solicitou|запрос|zapytano|gevraagd)(?=[\s:]|$)\s*:?\s*/iu;
/** Activities that ask nothing. */
const noQuestion =
  /^(?:gave feedback|selected preferred draft|used an? |used assistant|feedback gegeben|deu feedback|enviou feedback)/i;
const created = /^(?:created|erstellt|criou|créé|creado|creato)(?=[\s:]|$)/i;

export const promptOf = (title: string): string => title.replace(verbs, '').trim();

/** What an activity asks and what it was answered; null where it is no part of a conversation. */
export function activityOf(title: string, answer: string): Pick<Activity, 'prompt' | 'answer'> | null {
  const text = title.trim();
  if (noQuestion.test(text)) return null;
  if (created.test(text)) return { prompt: '', answer: [text, answer].filter(Boolean).join('\n') };
  const prompt = promptOf(text);
  return prompt || answer ? { prompt, answer } : null;
}

export const noActivity = (where: string): Parsed => ({
  kind: 'skipped',
  reason: 'activities that are no conversation',
  where: where.slice(0, 200),
});

/** The messages of activities in order, and those of answers that were made besides. */
export function messagesOf(activities: readonly Activity[]) {
  const message = (role: string, content: string, sentAt: Date | null): ParsedMessage => ({
    role,
    content,
    modelId: null,
    sentAt,
  });
  const asked = ({ prompt, answer, at }: Activity) => [message('user', prompt, at), message('assistant', answer, at)];
  const besides = ({ prompt, others = [], at }: Activity) =>
    others.length === 0 ? [] : [message('user', prompt, at), ...others.map((one) => message('assistant', one, at))];
  return { main: activities.flatMap(asked), others: activities.flatMap(besides) };
}

/** A conversation, and one of the answers that were made besides, which nobody wants until they say so. */
export function* conversationOf(sourceId: string, activities: readonly Activity[]): Generator<Parsed> {
  const { main, others } = messagesOf(activities);
  const asked = activities.find(({ prompt }) => prompt)?.prompt ?? activities[0]?.answer ?? '';
  const title = titleOf(asked.split('\n')[0]?.slice(0, 120));
  yield* conversation({ sourceId, title }, main);
  if (others.length > 0)
    yield* conversation({ sourceId: `${sourceId}#others`, title: titleOf(`${title} (other answers)`) }, others, false);
}

export const inOrder = (activities: readonly Activity[]): Activity[] => {
  const isFalling = (activities[0]?.at?.getTime() ?? 0) > (activities.at(-1)?.at?.getTime() ?? 0);
  return isFalling ? activities.toReversed() : [...activities];
};

export const lengthOf = ({ prompt, answer, others = [] }: Activity): number =>
  others.reduce((sum, one) => sum + one.length, prompt.length + answer.length);

export function createSittings() {
  let group: Activity[] = [];
  let length = 0;
  let undated = 0;
  function* close(): Generator<Parsed> {
    if (group.length === 0) return;
    const sorted = inOrder(group);
    [group, length] = [[], 0];
    const at = sorted[0]?.at;
    yield* conversationOf(at?.toISOString() ?? `undated-${++undated}`.slice(0, 200), sorted);
  }
  return {
    *add(activity: Activity): Generator<Parsed> {
      const last = group.at(-1);
      const isNear = last?.at && activity.at && Math.abs(last.at.getTime() - activity.at.getTime()) <= pauseMs;
      if (last && (!isNear || group.length >= most || length > longest)) yield* close();
      group.push(activity);
      length += lengthOf(activity);
    },
    end: () => close(),
  };
}
