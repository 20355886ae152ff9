// Anthropic: thinking by budget or by effort, and prompts that are cached where they are marked.
import type { JSONObject } from '@ai-sdk/provider';
import { common, type Kind, required, thinkingBudgets } from './kind.ts';

/** Seconds that prompts are cached unless more is asked for, and paid. */
const cacheSeconds = 300;

export const anthropic: Kind = {
  async open(provider, modelName, ask) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ apiKey: required(provider.apiKey, provider), ...common(provider, ask) })(modelName);
  },

  options: (target, request) => ({
    anthropic: {
      ...thinking(target.modelName, request.reasoningEffort ?? target.reasoningEffort),
      ...(request.parallelToolCalls === false && { disableParallelToolUse: true }),
    },
  }),

  /** Marks the end of the system prompt and of the conversation so far: each turn reads what the last one wrote. */
  mark(prompt, { cacheTtlSeconds = cacheSeconds }) {
    const ttl = cacheTtlSeconds > cacheSeconds ? { ttl: '1h' } : {};
    const cache = { anthropic: { cacheControl: { type: 'ephemeral', ...ttl } } };
    const system = prompt.findLast((message) => message.role === 'system');
    for (const message of new Set([system, prompt.at(-1)])) if (message) message.providerOptions = cache;
  },
};

function thinking(modelName: string, effort: string | undefined): JSONObject {
  if (!effort || effort === 'none') return {};
  // Older models think within a budget, newer ones by effort.
  if (/claude-(3|(haiku|sonnet)-4-5|(opus|sonnet)-4-([01]|2))/.test(modelName))
    return { thinking: { type: 'enabled', budgetTokens: thinkingBudgets[effort] ?? 8192 } };
  const known = effort === 'minimal' ? 'low' : effort;
  return { thinking: { type: 'adaptive', display: 'summarized' }, effort: known };
}
