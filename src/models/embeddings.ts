// Embeds texts at a provider, through the AI SDK.
import type { EmbeddingModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { ModelUsage } from '../../runtime/model.ts';
import { Fault } from '../kernel/fault.ts';
import type { Attempt } from './attempt.ts';
import { CallTimeout } from './failure.ts';
import { costUsd, estimateTokens } from './pricing.ts';
import { reachingFetch } from './reach.ts';
import type { Target } from './target.ts';
import { soundTotal } from './usage.ts';

export interface Embedded {
  /** In the order of the texts. */
  vectors: number[][];
  target: Target;
  usage: ModelUsage;
}

const openAiUrl = 'https://api.openai.com/v1';
const batchSize = 96;

/** A try of the gateway that embeds instead of talking; it has no events, its result goes to `done`. */
export function embedAttempt(
  inputs: readonly string[],
  dimensions: number | undefined,
  done: (embedded: Embedded) => void,
): Attempt {
  return async function* embed(
    target,
    request,
    state,
    { clock, firstTokenTimeoutMs, timeoutMs = firstTokenTimeoutMs },
  ) {
    const late = new AbortController();
    const cancel = clock.after(timeoutMs, () => late.abort(new CallTimeout('not done', timeoutMs)));
    const signal = AbortSignal.any([request.signal, late.signal]);
    try {
      const { vectors, tokens } = await embedAt(target, inputs, dimensions, signal);
      const counts = { promptTokens: tokens, completionTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
      const cost = { costUsd: costUsd(target.price, counts), priced: target.price !== null };
      state.usage = { ...counts, reasoningTokens: 0, ...cost };
      state.finishReason = 'stop';
      done({ vectors, target, usage: state.usage });
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      cancel();
    }
  };
}

async function embedAt(
  target: Target,
  inputs: readonly string[],
  dimensions: number | undefined,
  abortSignal: AbortSignal,
): Promise<{ vectors: number[][]; tokens: number }> {
  const model = await embeddingModel(target);
  const vectors: number[][] = [];
  let tokens = 0;
  for (let at = 0; at < inputs.length; at += batchSize) {
    const values = inputs.slice(at, at + batchSize);
    const { embeddings, usage } = await model.doEmbed({ values, abortSignal, ...sized(dimensions) });
    vectors.push(...embeddings);
    tokens += soundTotal(usage?.tokens) ?? values.reduce((sum, text) => sum + estimateTokens(text), 0);
  }
  return { vectors, tokens };
}

/** The number of dimensions in each provider's own words. */
const sized = (dimensions: number | undefined): { providerOptions?: SharedV3ProviderOptions } =>
  dimensions === undefined
    ? {}
    : { providerOptions: { compatible: { dimensions }, google: { outputDimensionality: dimensions } } };

/** Loads a provider's client when it is first called, as for language models. */
async function embeddingModel({ provider, modelName }: Target): Promise<EmbeddingModelV3> {
  const { kind, apiKey, baseUrl, headers, reach } = provider;
  const own = { ...(headers && { headers }), ...(reach && { fetch: reachingFetch(reach) }) };
  if (kind === 'google' && apiKey) {
    const options = { apiKey, ...(baseUrl && { baseURL: baseUrl }), ...own };
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    return createGoogleGenerativeAI(options).embeddingModel(modelName);
  }
  if (kind === 'openai' || kind === 'openai-compatible') {
    const baseURL = baseUrl ?? openAiUrl;
    const options = { name: 'compatible', baseURL, ...(apiKey && { apiKey }), ...own };
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible(options).embeddingModel(modelName);
  }
  throw new Fault('EMBEDDING_UNAVAILABLE', `${provider.name} has no embeddings.`, {
    hint: 'Use a model of OpenAI, Google or an OpenAI-compatible server.',
  });
}
