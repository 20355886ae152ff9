// What a model's name tells of it, for the catalogue.
import type { AIModelCapability, AIProviderKind } from '../../contract/enums.ts';
import type { KnownModel } from '../../ports/model-router.ts';
import type { PriceList } from '../pricing/price-list.ts';
import { familyLimits } from '../providers/limits.ts';
import { isEmbedder } from './list-models.ts';

/** Vendors whose models are known by name, with the prefix of their list prices. */
const vendors: Partial<Record<AIProviderKind, string>> = {
  OpenAi: 'openai',
  AzureOpenAi: 'openai',
  Anthropic: 'anthropic',
  Google: 'google',
  Mock: 'scripted',
};

const hosted: AIModelCapability[] = ['Streaming', 'Tools', 'ParallelTools', 'Vision', 'JsonSchema', 'PromptCaching'];
const thinkers =
  /gpt-[5-9]|^o\d|claude-(opus|sonnet|haiku|fable)-[4-9]|gemini-(2\.5|[3-9])|qwen3|deepseek-(r|v[3-9])|gpt-oss|think|reason/i;
const seers = /vl\b|vision|llava|gemma-?[3-9]|pixtral|llama-?[4-9]/i;

export function knownModel(prices: PriceList, { kind }: { kind: AIProviderKind }, modelName: string): KnownModel {
  const embeds = isEmbedder(modelName);
  const vendor = vendors[kind];
  const price = vendor ? prices.find(`${vendor}:${modelName}`) : null;
  const limits = vendor ? familyLimits(`${vendor}:${modelName}`) : null;
  return {
    kind: embeds ? (/rerank/i.test(modelName) ? 'Rerank' : 'Embedding') : 'Chat',
    contextWindow: embeds ? 0 : (limits?.contextTokens ?? 0),
    maxOutputTokens: embeds ? null : (limits?.maxOutputTokens ?? null),
    inputPricePerMTok: price?.input ?? 0,
    outputPricePerMTok: price?.output ?? 0,
    cachedInputPricePerMTok: price?.cacheRead ?? null,
    priceKnown: price != null,
    capabilities: embeds ? ['Embeddings'] : chatCapabilities(vendor !== undefined && kind !== 'Mock', modelName),
  };
}

function chatCapabilities(isVendors: boolean, modelName: string): AIModelCapability[] {
  const base: AIModelCapability[] = isVendors ? hosted : ['Streaming', 'Tools'];
  return [
    ...base,
    ...(!isVendors && seers.test(modelName) ? ['Vision' as const] : []),
    ...(thinkers.test(modelName) ? ['Reasoning' as const] : []),
  ];
}
