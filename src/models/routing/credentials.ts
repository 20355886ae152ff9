// Turns a stored provider and its keys into what a call needs: kind, address, headers and one of the keys.
import type { AIProviderKind } from '../../contract/enums.ts';
import type { Reach } from '../../kernel/reach.ts';
import type { Vault } from '../../kernel/vault.ts';
import type { ProviderDoc, ProviderKeyDoc } from '../../ports/ai-router.ts';
import type { ProviderConfig, ProviderKind } from '../providers/target.ts';

/** How each kind is spoken to, and where it is when nobody says otherwise. */
const wires: Record<AIProviderKind, { kind: ProviderKind; baseUrl?: string; needsKey: boolean }> = {
  OpenAi: { kind: 'openai', needsKey: true },
  OpenAiCompatible: { kind: 'openai-compatible', needsKey: false },
  AzureOpenAi: { kind: 'openai-compatible', needsKey: true },
  Anthropic: { kind: 'anthropic', needsKey: true },
  Google: { kind: 'google', needsKey: true },
  Mistral: { kind: 'openai-compatible', baseUrl: 'https://api.mistral.ai/v1', needsKey: true },
  Ollama: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1', needsKey: false },
  LlamaCpp: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:8080/v1', needsKey: false },
  Vllm: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:8000/v1', needsKey: false },
  Mock: { kind: 'scripted', needsKey: false },
};

export const needsKey = ({ kind }: Pick<ProviderDoc, 'kind'>) => wires[kind].needsKey;

/** Key of the provider in health, limits and circuits. */
export const providerKeyOf = ({ _id }: Pick<ProviderDoc, '_id'>) => `provider:${_id}`;

/** The id in such a key; NaN for providers of the environment. */
export const providerIdOf = (key: string) => Number(key.replace(/^provider:/, ''));

/** Month of a key's spending, e.g. `2026-11`. */
export const monthOf = (now: number) => new Date(now).toISOString().slice(0, 7);

/** Keys that may be used now, in a random order by weight; those that rest come last, for when there is no other. */
export function usableKeys(keys: readonly ProviderKeyDoc[], now: number, random: () => number): ProviderKeyDoc[] {
  return keys
    .filter((key) => key.enabled && !isPast(key.expiresAt, now) && hasMoney(key, now))
    .map((key) => ({
      key,
      order: random() ** (1 / Math.max(1, key.weight)) - (isAhead(key.cooldownUntil, now) ? 1 : 0),
    }))
    .sort((a, b) => b.order - a.order)
    .map(({ key }) => key);
}

const isPast = (date: Date | null, now: number) => date !== null && date.getTime() <= now;
const isAhead = (date: Date | null, now: number) => date !== null && date.getTime() > now;
const hasMoney = ({ monthlyLimitUsd, spentUsd, spentMonth }: ProviderKeyDoc, now: number) =>
  monthlyLimitUsd === null || spentMonth !== monthOf(now) || spentUsd < monthlyLimitUsd;

/** What is needed to call the providers of tenants. */
export interface Access {
  vault: Vault;
  /** How far the addresses that a tenant gives may lead. */
  reachOf: (tenantId: number) => Reach;
}

/** What a call of this provider needs, with this key or without one. */
export function toConfig(
  provider: ProviderDoc,
  key: ProviderKeyDoc | null,
  { vault, reachOf }: Access,
): ProviderConfig {
  const wire = wires[provider.kind];
  const apiKey = key ? vault.open(provider.tenantId, key.sealedKey) : undefined;
  const custom = provider.sealedHeaders
    ? (JSON.parse(vault.open(provider.tenantId, provider.sealedHeaders)) as Record<string, string>)
    : {};
  const headers = provider.kind === 'AzureOpenAi' && apiKey ? { 'api-key': apiKey, ...custom } : custom;
  // The genuine OpenAI speaks Responses; a server of that kind at another address is only expected to know Chat Completions.
  const elsewhere =
    provider.kind === 'OpenAi' && provider.baseUrl !== null && !provider.baseUrl.includes('api.openai.com');
  return {
    key: providerKeyOf(provider),
    name: provider.name,
    kind: elsewhere ? 'openai-compatible' : wire.kind,
    apiKey,
    baseUrl: provider.baseUrl ?? wire.baseUrl,
    reach: reachOf(provider.tenantId),
    ...(Object.keys(headers).length > 0 && { headers }),
    id: provider._id,
    keyId: key?._id,
    limits: {
      maxConcurrency: provider.maxConcurrency > 0 ? provider.maxConcurrency : undefined,
      requestsPerMinute: provider.requestsPerMinute ?? undefined,
      tokensPerMinute: provider.tokensPerMinute ?? undefined,
    },
  };
}
