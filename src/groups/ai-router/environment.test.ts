// The environment's providers in the tenant's lists.
import { describe, expect, it } from 'vitest';
import type { EnvironmentProvider, HealthReport, ModelRouter } from '../../ports/model-router.ts';
import { AIModelDto, AIProviderDto } from './dto.ts';
import { environmentModels, environmentProviders, withRest } from './environment.ts';

const health = { healthState: 'Unknown', inFlight: 0, lastCheckedAt: null, lastError: null } as HealthReport;
const provider = (key: string, more: Partial<EnvironmentProvider> = {}): EnvironmentProvider => ({
  key,
  name: key,
  kind: 'OpenAi',
  baseUrl: null,
  hasKey: true,
  modelIds: [`${key}:one`, `${key}:two:b`],
  modelHealth: ['Healthy', 'Unhealthy'],
  health,
  since: new Date(0),
  ...more,
});
const known = { kind: 'Chat', contextWindow: 0, maxOutputTokens: null, capabilities: [] } as const;
const prices = { inputPricePerMTok: 0, outputPricePerMTok: 0, cachedInputPricePerMTok: null, priceKnown: false };
const router = {
  environment: async () => [
    provider('openai'),
    provider('ollama', { kind: 'Ollama', modelIds: [] }),
    provider('anthropic', { modelIds: ['anthropic:x'] }),
  ],
  known: () => ({ ...known, ...prices, capabilities: [] }),
} as unknown as ModelRouter;

describe('the environment', () => {
  it('is listed, marked, without an Ollama that does not answer', async () => {
    const providers = await environmentProviders(router, 1);
    expect(providers.map((one) => [AIProviderDto.parse(one).id, one.name, one.source, one.modelCount])).toEqual([
      [-1, 'openai', 'Environment', 2],
      [-3, 'anthropic', 'Environment', 1],
    ]);
    const models = await environmentModels(router, 1);
    expect(models.map((one) => [AIModelDto.parse(one).modelId, one.providerModelName, one.providerId])).toEqual([
      ['openai:one', 'one', -1],
      ['openai:two:b', 'two:b', -1],
      ['anthropic:x', 'x', -3],
    ]);
    expect(models.map(({ healthState }) => healthState)).toEqual(['Healthy', 'Unhealthy', 'Healthy']);
    const ids = [...providers, ...models].map(({ guid }) => guid);
    expect(new Set(ids).size).toBe(5);
    expect((await environmentModels(router, 1)).map(({ guid }) => guid)).toEqual(models.map(({ guid }) => guid));
  });

  it('follows the last page of what is kept', () => {
    const kept = ['a', 'b', 'c'];
    const rest = ['x', 'y', 'z'];
    const read = (page: number, pageSize: number) => {
      const from = (page - 1) * pageSize;
      return withRest({ items: kept.slice(from, from + pageSize), totalCount: 3 }, rest, { page, pageSize });
    };
    for (const size of [1, 2, 3, 4, 5, 6, 7]) {
      const pages = Array.from({ length: read(1, size).totalPages }, (_, at) => read(at + 1, size).items);
      expect(pages.flat()).toEqual([...kept, ...rest]);
    }
    expect(read(1, 2).totalCount).toBe(6);
  });
});
