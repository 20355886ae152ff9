// Groups questions with their answers into conversations, by the time between them, whichever way they are sorted.
import { conversation } from './conversation.ts';
import { titleOf } from './fields.ts';
import type { Parsed } from './shapes.ts';

/** Milliseconds after which a further question begins another conversation. */
const pauseMs = 30 * 60_000;
/** Questions of one conversation at most. */
const most = 500;

interface Activity {
  prompt: string;
  answer: string;
  at: Date | null;
}

/** What Takeout puts before a question, in the languages that were seen. */
const verbs =
  /^(?:prompted|asked|said|used|sent|searched for|gefragt|gesagt|prompt:|has preguntado|a demandé|vous avez demandé|hai chiesto|perguntou)\s*:?\s+/i;

export const promptOf = (title: string): string => title.replace(verbs, '').trim();

export function createSittings() {
  let group: Activity[] = [];
  function* close(): Generator<Parsed> {
    if (group.length === 0) return;
    const isFalling = (group[0]?.at?.getTime() ?? 0) > (group.at(-1)?.at?.getTime() ?? 0);
    const inOrder = isFalling ? group.toReversed() : group;
    group = [];
    const [first] = inOrder;
    const messages = inOrder.flatMap(({ prompt, answer, at }) => [
      { role: 'user', content: prompt, modelId: null, sentAt: at },
      { role: 'assistant', content: answer, modelId: null, sentAt: at },
    ]);
    const sourceId = first?.at?.toISOString() ?? `undated ${first?.prompt.slice(0, 100)}`;
    yield* conversation({ sourceId, title: titleOf(first?.prompt.split('\n')[0]?.slice(0, 120)) }, messages);
  }
  return {
    *add(activity: Activity): Generator<Parsed> {
      const last = group.at(-1)?.at;
      const isNear = !last || !activity.at || Math.abs(last.getTime() - activity.at.getTime()) <= pauseMs;
      if (!isNear || group.length >= most) yield* close();
      if (activity.prompt || activity.answer) group.push(activity);
    },
    end: () => close(),
  };
}
