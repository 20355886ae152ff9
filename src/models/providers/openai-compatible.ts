// Servers that speak OpenAI's chat completions: OpenRouter, Ollama, vLLM and many more.
import { common, type Kind, required } from './kind.ts';

export const openaiCompatible: Kind = {
  async open(provider, modelName, ask) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible({
      ...common(provider, ask),
      name: 'compatible',
      baseURL: required(provider.baseUrl, provider),
      includeUsage: true,
      supportsStructuredOutputs: true,
      ...(provider.apiKey && { apiKey: provider.apiKey }),
    }).chatModel(modelName);
  },

  options(target, request) {
    const effort = request.reasoningEffort ?? target.reasoningEffort;
    const compatible = {
      ...(request.responseSchema && { strictJsonSchema: request.responseStrict ?? false }),
      // The SDK has no option for this field; it passes unknown fields on.
      ...(request.parallelToolCalls === false && { parallel_tool_calls: false }),
      ...(effort && { reasoningEffort: effort }),
    };
    // The SDK validates options twice; without options it skips the validation.
    return Object.keys(compatible).length > 0 ? { compatible } : {};
  },
};
