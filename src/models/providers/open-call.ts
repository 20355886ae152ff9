// Opens a streamed call at a provider: AI SDK clients by kind, each with the options that only this kind knows.
import type {
  JSONObject,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider';
import { LRUCache } from 'lru-cache';
import type { AsWritten, ModelRequest } from '../../../runtime/model.ts';
import { Fault } from '../../kernel/fault.ts';
import { composeBody, hasConversation, providerFor, writtenFor } from './as-written.ts';
import { keyVariable } from './failure.ts';
import { createSend, type Send } from './http.ts';
import { createPlainAnswers, type PlainAnswers } from './plain-answers.ts';
import { toPrompt } from './prompt.ts';
import { reachingFetch, reachingSend } from './reach.ts';
import type { ProviderConfig, ProviderKind, Target } from './target.ts';

/** Opens one call; parts follow in the order of the answer. Aborting the signal closes the provider's connection. */
export type OpenCall = (
  target: Target,
  request: ModelRequest,
  signal: AbortSignal,
) => Promise<AsyncIterable<LanguageModelV3StreamPart>>;

/** The SDK's model, and who reads its answers before it where somebody does. */
interface Client {
  model: LanguageModelV3;
  plain: PlainAnswers | null;
}

/** Clients that are kept: making one builds its schemas, which costs as much as a short call. */
const keptClients = 200;

/** Opens calls through the AI SDK provider of the target's kind. Throws APICallError as the SDK does; never retries. */
export function createSdkCalls(): OpenCall {
  const clients = new LRUCache<string, Client>({ max: keptClients });
  const send = createSend();
  const bodies: Bodies = new WeakMap();
  return async (asked, request, signal) => {
    const target = { ...asked, provider: providerFor(asked, request) };
    const { kind, name, apiKey, baseUrl, headers, reach } = target.provider;
    const id = JSON.stringify([kind, name, apiKey, baseUrl, headers, reach, target.modelName]);
    const client = clients.get(id) ?? (await createClient(target.provider, target.modelName, { send, bodies }));
    clients.set(id, client);
    const { model, plain } = client;
    const written = writtenFor(target.provider, request);
    if (written) bodies.set(signal, (made) => composeBody(written, target, made));
    const options = written ? optionsAround(written, request, kind) : callOptions(target, request);
    const { traceHeaders } = request;
    const traced = traceHeaders && { headers: { ...options.headers, ...traceHeaders } };
    const start = () => model.doStream({ ...options, ...traced, abortSignal: signal });
    return plain ? plain.open(signal, start) : (await start()).stream;
  };
}

/** What is sent instead of the body that the SDK has made, by the signal of the call, which the SDK hands on. */
type Bodies = WeakMap<AbortSignal, (made: string) => string>;

const rewriting =
  (ask: typeof fetch, bodies: Bodies): typeof fetch =>
  (input, init) => {
    const compose = init?.signal && bodies.get(init.signal);
    return ask(input, compose ? { ...init, body: compose(init?.body as string) } : init);
  };

/** For a call whose body is written already, the SDK needs something to ask, and reads the answer. */
function optionsAround(written: AsWritten, { messages }: ModelRequest, kind: ProviderKind): LanguageModelV3CallOptions {
  const prompt = hasConversation(written) ? [{ role: 'user' as const, content: [] }] : toPrompt(messages, kind);
  return { prompt, ...(written.headers && { headers: written.headers }) };
}

/** A provider's client is loaded when it is first called: together they are a third of what an idle server would hold. */
async function createClient(
  provider: ProviderConfig,
  modelName: string,
  { send, bodies }: { send: Send; bodies: Bodies },
): Promise<Client> {
  const { kind, reach } = provider;
  const plain = kind === 'openai-compatible' ? createPlainAnswers(reach ? reachingSend(reach) : send) : null;
  const ask = plain?.fetch ?? (reach ? reachingFetch(reach) : fetch);
  return { model: await languageModel(provider, modelName, rewriting(ask, bodies)), plain };
}

async function languageModel(provider: ProviderConfig, modelName: string, ask: typeof fetch): Promise<LanguageModelV3> {
  const { apiKey, baseUrl, headers } = provider;
  const own = { ...(headers && { headers }), fetch: ask };
  const common = { ...(baseUrl && { baseURL: baseUrl }), ...own };
  switch (provider.kind) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ apiKey: required(apiKey, provider), ...common }).responses(modelName);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({
        name: 'compatible',
        baseURL: required(baseUrl, provider),
        includeUsage: true,
        supportsStructuredOutputs: true,
        ...(apiKey && { apiKey }),
        ...own,
      }).chatModel(modelName);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ apiKey: required(apiKey, provider), ...common })(modelName);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI({ apiKey: required(apiKey, provider), ...common })(modelName);
    }
    case 'scripted':
      throw new Error('scripted calls are played, not opened');
  }
}

// Without this the SDK would read the environment and, failing that, name variables of its own.
function required(value: string | undefined, provider: ProviderConfig): string {
  if (value) return value;
  throw new Fault('NOT_CONFIGURED', `The provider ${provider.name} has no credentials.`, {
    hint:
      provider.id === undefined
        ? `Set ${keyVariable[provider.key] ?? 'its key'} and start the server again.`
        : `Add a key with POST /api/ai-router/providers/${provider.id}/keys.`,
  });
}

function callOptions(target: Target, request: ModelRequest): LanguageModelV3CallOptions {
  const { kind } = target.provider;
  if (kind === 'google') refuseImageUrls(request);
  const prompt = toPrompt(request.messages, kind);
  if (kind === 'anthropic' && request.cacheKey) markCacheable(prompt, target.cacheTtlSeconds);
  const maxOutputTokens = request.maxOutputTokens ?? target.maxOutputTokens;
  const temperature = request.temperature ?? target.temperature;
  const { topP, frequencyPenalty, presencePenalty, seed, stop } = request;
  return {
    prompt,
    ...(topP !== undefined && { topP }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(seed !== undefined && { seed }),
    ...(stop && { stopSequences: stop }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(request.tools?.length && {
      tools: request.tools.map(({ name, description, inputSchema, strict }) => ({
        type: 'function',
        name,
        description,
        inputSchema,
        ...(strict !== undefined && { strict }),
      })),
      ...(request.toolChoice && { toolChoice: toolChoice(request.toolChoice) }),
    }),
    ...((request.responseSchema || request.responseJson) && {
      responseFormat: {
        type: 'json',
        ...(request.responseSchema && { schema: request.responseSchema, name: request.responseName ?? 'answer' }),
      },
    }),
    providerOptions: providerOptions(target, request),
  };
}

const toolChoice = (choice: NonNullable<ModelRequest['toolChoice']>) =>
  typeof choice === 'string' ? { type: choice } : { type: 'tool' as const, toolName: choice.name };

/** Prompt cache, reasoning effort and structured output, in each provider's own words. */
function providerOptions(target: Target, request: ModelRequest): Record<string, JSONObject> {
  const effort = request.reasoningEffort ?? target.reasoningEffort;
  switch (target.provider.kind) {
    case 'openai':
      return {
        openai: {
          // Nothing stays at the provider: encrypted reasoning comes back to us and is sent again.
          store: false,
          include: ['reasoning.encrypted_content'],
          strictJsonSchema: request.responseStrict ?? false,
          ...(request.parallelToolCalls === false && { parallelToolCalls: false }),
          ...(request.cacheKey && {
            promptCacheKey: `${request.tenantId}:${request.cacheKey}`,
            ...((target.cacheTtlSeconds ?? 0) > openAiCacheSeconds && { promptCacheRetention: '24h' }),
          }),
          ...(effort && { reasoningEffort: effort, reasoningSummary: 'auto' }),
        },
      };
    case 'openai-compatible': {
      const compatible = {
        ...(request.responseSchema && { strictJsonSchema: request.responseStrict ?? false }),
        // The SDK knows no option for it and hands on what it does not know.
        ...(request.parallelToolCalls === false && { parallel_tool_calls: false }),
        ...(effort && { reasoningEffort: effort }),
      };
      // The SDK checks options by a schema, twice, wherever there are any.
      return Object.keys(compatible).length > 0 ? { compatible } : {};
    }
    case 'anthropic':
      return {
        anthropic: {
          ...anthropicThinking(target.modelName, effort),
          ...(request.parallelToolCalls === false && { disableParallelToolUse: true }),
        },
      };
    case 'google':
      return { google: googleThinking(target.modelName, effort) };
    case 'scripted':
      return {};
  }
}

const budgets: Record<string, number> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 60_000,
};

function anthropicThinking(modelName: string, effort: string | undefined): JSONObject {
  if (!effort || effort === 'none') return {};
  // Older models think within a budget, newer ones by effort.
  if (/claude-(3|(haiku|sonnet)-4-5|(opus|sonnet)-4-([01]|2))/.test(modelName)) {
    return { thinking: { type: 'enabled', budgetTokens: budgets[effort] ?? 8192 } };
  }
  const known = effort === 'minimal' ? 'low' : effort;
  return { thinking: { type: 'adaptive', display: 'summarized' }, effort: known };
}

function googleThinking(modelName: string, effort: string | undefined): JSONObject {
  if (!effort) return {};
  if (/gemini-2\.5/.test(modelName)) {
    const thinkingBudget = effort === 'none' ? 0 : Math.min(budgets[effort] ?? 8192, 24_576);
    return { thinkingConfig: { thinkingBudget, includeThoughts: effort !== 'none' } };
  }
  const level = effort === 'none' ? 'minimal' : effort === 'xhigh' || effort === 'max' ? 'high' : effort;
  return { thinkingConfig: { thinkingLevel: level, includeThoughts: true } };
}

/** How long prompts are cached by these providers unless more is asked for (and, at Anthropic, paid). */
const anthropicCacheSeconds = 300;
const openAiCacheSeconds = 3_600;

/** Marks the end of the system prompt and of the conversation so far: each turn reads what the last one wrote. */
function markCacheable(prompt: LanguageModelV3CallOptions['prompt'], ttlSeconds = anthropicCacheSeconds): void {
  const ttl = ttlSeconds > anthropicCacheSeconds ? { ttl: '1h' } : {};
  const cache = { anthropic: { cacheControl: { type: 'ephemeral', ...ttl } } };
  const system = prompt.findLast((message) => message.role === 'system');
  for (const message of new Set([system, prompt.at(-1)])) if (message) message.providerOptions = cache;
}

function refuseImageUrls({ messages }: ModelRequest): void {
  const byUrl = messages.some(
    ({ role, content }) =>
      role === 'user' &&
      typeof content !== 'string' &&
      content.some((part) => part.type === 'image' && part.data instanceof URL),
  );
  if (byUrl)
    throw new Fault('BAD_REQUEST', 'Google models take images as bytes, not as URLs.', { hint: 'Upload the image.' });
}
