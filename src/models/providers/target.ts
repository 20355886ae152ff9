// One place a call can be sent to: a provider with its credentials, and a model there.

import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import type { ModelRequest } from '../../../runtime/model.ts';
import type { Reach } from '../../kernel/reach.ts';
import type { Price } from '../pricing/pricing.ts';
import type { CallPolicy } from './settings.ts';

export type ProviderKind = 'openai' | 'openai-compatible' | 'anthropic' | 'google' | 'scripted';

export interface ProviderConfig {
  /** Key of limits and, for a provider of one tenant, of circuit and health; the prefix of model ids for providers of the environment. */
  key: string;
  name: string;
  kind: ProviderKind;
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** How far its address may lead, where a user gave it. */
  reach?: Reach | undefined;
  /** Row ids where the provider and its key are kept in the database. */
  id?: number | undefined;
  keyId?: number | undefined;
  limits?: ProviderLimits | undefined;
}

export interface ProviderLimits {
  maxConcurrency?: number | undefined;
  requestsPerMinute?: number | undefined;
  tokensPerMinute?: number | undefined;
}

export interface Target {
  /** As in the request and the usage ledger. */
  modelId: string;
  /** The model's name at the provider. */
  modelName: string;
  provider: ProviderConfig;
  price: Price | null;
  /** Row id of the model, where it is in the database. */
  aiModelId?: number | undefined;
  /** Defaults of the route for this target. */
  temperature?: number | undefined;
  maxOutputTokens?: number | undefined;
  reasoningEffort?: string | undefined;
  maxConcurrency?: number | undefined;
  /** How long the provider's prompt cache is asked to hold, where it can be told. */
  cacheTtlSeconds?: number | undefined;
}

export interface ModelFacts {
  contextTokens: number;
  maxOutputTokens: number;
  price: Price | null;
}

/** Where calls go: the environment's providers, or those that a tenant has set up. */
export interface ModelDirectory {
  /** Targets in the order to try them; never empty. Throws NOT_CONFIGURED, NO_ROUTE_AVAILABLE or BUDGET_EXCEEDED. */
  plan(request: ModelRequest): Plan | Promise<Plan>;
  /** Known facts of a model, or null. Must not wait: it answers from memory. */
  facts(modelId: string): ModelFacts | null;
  defaultModelId(): string;
}

export interface Plan {
  targets: Target[];
  routeId?: number | undefined;
  routeName?: string | undefined;
  /** JSON of the decision, kept with the call. */
  decision?: unknown;
  /** Replaces the gateway's policy for this call. */
  policy?: Partial<CallPolicy> | undefined;
  /** False where the provider's prompt cache is not to be used. */
  promptCache?: boolean | undefined;
  /** Longest duration of one try, from request to finish, in ms. */
  timeoutMs?: number | undefined;
}

/** Opens one call; parts follow in the order of the answer. Aborting the signal closes the provider's connection. */
export type OpenCall = (
  target: Target,
  request: ModelRequest,
  signal: AbortSignal,
) => Promise<AsyncIterable<LanguageModelV3StreamPart>>;
