// Asks a provider which models it has.
import { APICallError } from '@ai-sdk/provider';
import { outboundFetch } from '../../kernel/outbound-fetch.ts';
import { reachingFetch } from '../../kernel/reach.ts';
import type { ProviderConfig } from '../providers/target.ts';
import { builtInScenarios } from '../scripted/built-in.ts';

/**
 * Reads the names of a provider's models, those that embed last. Throws when the provider cannot be reached or refuses.
 */
export type ListModels = (provider: ProviderConfig) => Promise<string[]>;

const timeoutMs = 10_000;

export const listServerModels: ListModels = async (provider) => {
  // Scenes of the demo are left out: they make no sense alone.
  if (provider.kind === 'scripted') return Object.keys(builtInScenarios).filter((name) => !name.startsWith('demo-'));
  const { url, headers } = requestOf(provider);
  const ask = provider.reach ? reachingFetch(provider.reach) : outboundFetch;
  const response = await ask(url, {
    headers: { ...headers, ...provider.headers },
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
  });
  if (!response.ok) {
    const message = `it answered with HTTP ${response.status}`;
    throw new APICallError({ message, url, requestBodyValues: {}, statusCode: response.status });
  }
  const body = (await response.json()) as { data?: { id?: unknown }[]; models?: { name?: unknown }[] };
  const listed = [...(body.data ?? []).map(({ id }) => id), ...(body.models ?? []).map(({ name }) => name)];
  const names = listed.flatMap((name) => (typeof name === 'string' ? [name.replace(/^models\//, '')] : []));
  return [...names.filter((name) => !isEmbedder(name)), ...names.filter(isEmbedder)];
};

/** Whether a model's name says that it embeds or ranks, not talks. */
export const isEmbedder = (name: string) => /embed|rerank|bge-|e5-|minilm/i.test(name);

function requestOf({ kind, apiKey, baseUrl }: ProviderConfig): { url: string; headers: Record<string, string> } {
  const at = (fallback: string, path = '/models') => `${(baseUrl ?? fallback).replace(/\/+$/, '')}${path}`;
  switch (kind) {
    case 'anthropic':
      return {
        url: at('https://api.anthropic.com/v1', '/models?limit=1000'),
        headers: { 'anthropic-version': '2023-06-01', ...(apiKey && { 'x-api-key': apiKey }) },
      };
    case 'google':
      return {
        url: at('https://generativelanguage.googleapis.com/v1beta', '/models?pageSize=1000'),
        headers: apiKey ? { 'x-goog-api-key': apiKey } : {},
      };
    default:
      return { url: at('https://api.openai.com/v1'), headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {} };
  }
}
