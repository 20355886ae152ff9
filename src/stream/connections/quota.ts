// Quota of topics and subscriptions of one key or user on this node.
import { Fault } from '../../kernel/fault.ts';
import type { Quota } from '../hub/subscription.ts';

/** A new quota; subscriptions to one topic count as one topic. */
export function createQuota(limits: { subscriptions: number; topics: number }): Quota {
  const topics = new Map<string, number>();
  let subscriptions = 0;
  return {
    take: (key) => {
      const known = topics.get(key) ?? 0;
      if (subscriptions >= limits.subscriptions) throw refusal(limits.subscriptions, 'subscriptions');
      if (known === 0 && topics.size >= limits.topics) throw refusal(limits.topics, 'different topics');
      topics.set(key, known + 1);
      subscriptions++;
    },
    give: (key) => {
      const known = topics.get(key);
      if (known === undefined) return;
      subscriptions--;
      if (known > 1) topics.set(key, known - 1);
      else topics.delete(key);
    },
  };
}

const refusal = (limit: number, what: string) =>
  new Fault('CONCURRENCY_LIMITED', `This principal has ${limit} ${what} open on this node.`, {
    hint: 'Unsubscribe from some, or follow `runs` or `run-tree:{rootRunId}` instead of single runs.',
    retryAfterSeconds: 10,
  });
