// Google: thinking by budget or by level, and images by their bytes only.
import type { JSONObject } from '@ai-sdk/provider';
import { Fault } from '../../kernel/fault.ts';
import { common, type Kind, required, thinkingBudgets } from './kind.ts';

export const google: Kind = {
  async open(provider, modelName, ask) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    return createGoogleGenerativeAI({ apiKey: required(provider.apiKey, provider), ...common(provider, ask) })(
      modelName,
    );
  },

  options: (target, request) => ({
    google: thinking(target.modelName, request.reasoningEffort ?? target.reasoningEffort),
  }),

  check({ messages }) {
    const byUrl = messages.some(
      ({ role, content }) =>
        role === 'user' &&
        typeof content !== 'string' &&
        content.some((part) => part.type === 'image' && part.data instanceof URL),
    );
    if (byUrl)
      throw new Fault('BAD_REQUEST', 'Google models take images as bytes, not as URLs.', { hint: 'Upload the image.' });
  },
};

function thinking(modelName: string, effort: string | undefined): JSONObject {
  if (!effort) return {};
  if (/gemini-2\.5/.test(modelName)) {
    const thinkingBudget = effort === 'none' ? 0 : Math.min(thinkingBudgets[effort] ?? 8192, 24_576);
    return { thinkingConfig: { thinkingBudget, includeThoughts: effort !== 'none' } };
  }
  const level = effort === 'none' ? 'minimal' : effort === 'xhigh' || effort === 'max' ? 'high' : effort;
  return { thinkingConfig: { thinkingLevel: level, includeThoughts: true } };
}
