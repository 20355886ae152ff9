// Embeds texts at a provider, through the AI SDK.
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { EmbeddingModelV3 } from '@ai-sdk/provider';
import { Fault } from '../kernel/fault.ts';
import { readFailure } from './failure.ts';
import { estimateTokens } from './pricing.ts';
import type { Target } from './target.ts';

export interface Embedded {
  vectors: number[][];
  promptTokens: number;
}

const openAiUrl = 'https://api.openai.com/v1';
const batchSize = 96;

/**
 * Embeds texts, in their order. The model decides the number of dimensions.
 *
 * @throws Fault EMBEDDING_UNAVAILABLE for a provider that embeds nothing; as calls do otherwise
 */
export async function embedAt(
  target: Target,
  inputs: readonly string[],
  signal: AbortSignal,
  now: number,
): Promise<Embedded> {
  const model = embeddingModel(target);
  const embedded: Embedded = { vectors: [], promptTokens: 0 };
  try {
    for (let at = 0; at < inputs.length; at += batchSize) {
      const values = inputs.slice(at, at + batchSize);
      const { embeddings, usage } = await model.doEmbed({ values, abortSignal: signal });
      embedded.vectors.push(...embeddings);
      embedded.promptTokens += usage?.tokens ?? values.reduce((sum, text) => sum + estimateTokens(text), 0);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw readFailure(error, target, false, now).fault;
  }
  return embedded;
}

function embeddingModel({ provider, modelName }: Target): EmbeddingModelV3 {
  const { kind, apiKey, baseUrl, headers } = provider;
  if (kind === 'google' && apiKey) {
    const options = { apiKey, ...(baseUrl && { baseURL: baseUrl }), ...(headers && { headers }) };
    return createGoogleGenerativeAI(options).embeddingModel(modelName);
  }
  if (kind === 'openai' || kind === 'openai-compatible') {
    const baseURL = baseUrl ?? openAiUrl;
    const options = { name: 'compatible', baseURL, ...(apiKey && { apiKey }), ...(headers && { headers }) };
    return createOpenAICompatible(options).embeddingModel(modelName);
  }
  throw new Fault('EMBEDDING_UNAVAILABLE', `${provider.name} has no embeddings.`, {
    hint: 'Use a model of OpenAI, Google or an OpenAI-compatible server.',
  });
}
