// OpenAI, by its Responses API.
import { common, type Kind, required } from './kind.ts';

/** Seconds that prompts are cached unless more is asked for. */
const cacheSeconds = 3_600;

export const openai: Kind = {
  async open(provider, modelName, ask) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ apiKey: required(provider.apiKey, provider), ...common(provider, ask) }).responses(modelName);
  },

  options(target, request) {
    const effort = request.reasoningEffort ?? target.reasoningEffort;
    return {
      openai: {
        // Nothing stays at the provider: encrypted reasoning comes back to us and is sent again.
        store: false,
        include: ['reasoning.encrypted_content'],
        strictJsonSchema: request.responseStrict ?? false,
        ...(request.parallelToolCalls === false && { parallelToolCalls: false }),
        ...(request.cacheKey && {
          promptCacheKey: `${request.tenantId}:${request.cacheKey}`,
          ...((target.cacheTtlSeconds ?? 0) > cacheSeconds && { promptCacheRetention: '24h' }),
        }),
        ...(effort && { reasoningEffort: effort, reasoningSummary: 'auto' }),
      },
    };
  },
};
