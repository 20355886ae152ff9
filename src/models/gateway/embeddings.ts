// Embeds texts at a provider, through the AI SDK.
import type { EmbeddingModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { ModelUsage } from '../../../runtime/model.ts';
import { Fault } from '../../kernel/fault.ts';
import { outboundFetch } from '../../kernel/outbound-fetch.ts';
import { reachingFetch } from '../../kernel/reach.ts';
import { costUsd } from '../pricing/pricing.ts';
import { estimateTokens } from '../pricing/token-estimates.ts';
import { CallTimeout } from '../providers/failure.ts';
import type { Target } from '../providers/target.ts';
import { soundTotal } from '../providers/usage.ts';
import type { Attempt } from './attempt.ts';

export interface Embedded {
  /** One vector a text, in the order of the texts. */
  vectors: number[][];
  target: Target;
  usage: ModelUsage;
}

export interface EmbeddingOptions {
  /** Number of dimensions, for models that let the caller choose. */
  dimensions?: number | undefined;
  /** Fields that a client sent besides, for providers that read OpenAI's interface. */
  asWritten?: Record<string, unknown> | undefined;
}

const openAiUrl = 'https://api.openai.com/v1';
const batchSize = 96;

/** A try of the gateway that embeds instead of talking; it has no events, its result goes to `done`. */
export function embedAttempt(
  inputs: readonly string[],
  options: EmbeddingOptions,
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
      const { vectors, tokens } = await embedAt(target, inputs, options, signal);
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
  { dimensions, asWritten = {} }: EmbeddingOptions,
  abortSignal: AbortSignal,
): Promise<{ vectors: number[][]; tokens: number }> {
  const model = await embeddingModel(target, asWritten);
  const vectors: number[][] = [];
  let tokens = 0;
  for (let at = 0; at < inputs.length; at += batchSize) {
    const values = inputs.slice(at, at + batchSize);
    const { embeddings, usage } = await model.doEmbed({ values, abortSignal, ...said(dimensions, asWritten) });
    vectors.push(...embeddings);
    tokens += soundTotal(usage?.tokens) ?? values.reduce((sum, text) => sum + estimateTokens(text), 0);
  }
  return { vectors, tokens };
}

/** Google's words for what a text is for; others are said as they came. */
const taskTypes: Record<string, string> = {
  query: 'RETRIEVAL_QUERY',
  search_query: 'RETRIEVAL_QUERY',
  passage: 'RETRIEVAL_DOCUMENT',
  document: 'RETRIEVAL_DOCUMENT',
  search_document: 'RETRIEVAL_DOCUMENT',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

/** The number of dimensions and the kind of text in each provider's own words. */
function said(
  dimensions: number | undefined,
  { input_type }: Record<string, unknown>,
): { providerOptions?: SharedV3ProviderOptions } {
  const taskType = typeof input_type === 'string' ? taskTypes[input_type] : undefined;
  if (dimensions === undefined && taskType === undefined) return {};
  const google = {
    ...(dimensions !== undefined && { outputDimensionality: dimensions }),
    ...(taskType !== undefined && { taskType }),
  };
  return { providerOptions: { ...(dimensions !== undefined && { compatible: { dimensions } }), google } };
}

/** Adds what the SDK has no options for. */
const adding =
  (ask: typeof fetch, more: Record<string, unknown>): typeof fetch =>
  (input, init) =>
    ask(input, { ...init, body: JSON.stringify({ ...more, ...JSON.parse(init?.body as string) }) });

/** Loads a provider's client when it is first called, as for language models. */
async function embeddingModel(
  { provider, modelName }: Target,
  asWritten: Record<string, unknown>,
): Promise<EmbeddingModelV3> {
  const { kind, apiKey, baseUrl, headers, reach } = provider;
  const own = { ...(headers && { headers }), fetch: reach ? reachingFetch(reach) : outboundFetch };
  if (kind === 'google' && apiKey) {
    const options = { apiKey, ...(baseUrl && { baseURL: baseUrl }), ...own };
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    return createGoogleGenerativeAI(options).embeddingModel(modelName);
  }
  if (kind === 'openai' || kind === 'openai-compatible') {
    const baseURL = baseUrl ?? openAiUrl;
    const asking = { ...own, fetch: adding(own.fetch, asWritten) };
    const options = { name: 'compatible', baseURL, ...(apiKey && { apiKey }), ...asking };
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible(options).embeddingModel(modelName);
  }
  throw new Fault('EMBEDDING_UNAVAILABLE', `${provider.name} has no embeddings.`, {
    hint: 'Use a model of OpenAI, Google or an OpenAI-compatible server.',
  });
}
