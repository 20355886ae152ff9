// What differs between kinds of providers: the client, and the names of shared options.
import type { JSONObject, LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider';
import type { ModelRequest } from '../../../runtime/model.ts';
import { Fault } from '../../kernel/fault.ts';
import { keyVariable } from './failure.ts';
import type { ProviderConfig, Target } from './target.ts';

export interface Kind {
  /** The client of one model, which sends with `ask`; its SDK is loaded when the first call needs it. */
  open(provider: ProviderConfig, modelName: string, ask: typeof fetch): Promise<LanguageModelV3>;
  /** Prompt cache, reasoning effort and structured output, in the provider's own words. */
  options(target: Target, request: ModelRequest): Record<string, JSONObject>;
  /** Refuses what the provider cannot take, with a Fault for the caller. */
  check?(request: ModelRequest): void;
  /** Marks what the provider may cache. */
  mark?(prompt: LanguageModelV3CallOptions['prompt'], target: Target): void;
}

/** What clients of all kinds are told; `baseURL` is left to the SDK where the provider names none. */
export const common = ({ baseUrl, headers }: ProviderConfig, ask: typeof fetch) => ({
  ...(baseUrl && { baseURL: baseUrl }),
  ...(headers && { headers }),
  fetch: ask,
});

/**
 * A setting that a provider must have. Without it the SDK would read the environment, and name variables of its own.
 */
export function required(value: string | undefined, provider: ProviderConfig): string {
  if (value) return value;
  throw new Fault('NOT_CONFIGURED', `The provider ${provider.name} has no credentials.`, {
    hint:
      provider.id === undefined
        ? `Set ${keyVariable[provider.key] ?? 'its key'} and start the server again.`
        : `Add a key with POST /api/ai-router/providers/${provider.id}/keys.`,
  });
}

/** Reasoning effort as tokens, for models that think within a budget. */
export const thinkingBudgets: Record<string, number> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 60_000,
};
