// The environment's providers and their models as rows of the tenant's lists, after all that it keeps itself.
import { createHash } from 'node:crypto';
import { toPage } from '../../contract/page.ts';
import type { EnvironmentProvider, ModelRouter } from '../../ports/model-router.ts';
import type { AIModelDto, AIProviderDto } from './dto.ts';

/** Whether anybody would look for it: Ollama at its usual place is only there when it answers. */
const isThere = ({ kind, modelIds }: EnvironmentProvider) => kind !== 'Ollama' || modelIds.length > 0;

const iso = (date: Date | null) => date?.toISOString() ?? null;

export async function environmentProviders(router: ModelRouter, tenantId: number): Promise<AIProviderDto[]> {
  const found = await router.environment(tenantId);
  return found.flatMap((provider, at) => (isThere(provider) ? [toProvider(provider, at)] : []));
}

function toProvider(
  { key, name, kind, baseUrl, hasKey, modelIds, health, since }: EnvironmentProvider,
  at: number,
): AIProviderDto {
  return {
    id: providerId(at),
    guid: guidOf(key),
    name,
    kind,
    baseUrl,
    enabled: true,
    priority: 0,
    hasCredentials: hasKey,
    keyCount: hasKey ? 1 : 0,
    modelCount: modelIds.length,
    timeoutMs: 0,
    maxConcurrency: 0,
    requestsPerMinute: null,
    tokensPerMinute: null,
    headerNames: [],
    healthState: health.healthState,
    source: 'Environment',
    inFlight: health.inFlight,
    lastCheckedAtUtc: iso(health.lastCheckedAt),
    lastError: health.lastError,
    createdAtUtc: since.toISOString(),
    updatedAtUtc: since.toISOString(),
  };
}

export async function environmentModels(router: ModelRouter, tenantId: number): Promise<AIModelDto[]> {
  return (await router.environment(tenantId)).flatMap((provider, at) =>
    provider.modelIds.map((modelId, index): AIModelDto => {
      const name = modelId.slice(provider.key.length + 1);
      return {
        ...router.known(provider, name),
        id: modelRowId(at, index),
        guid: guidOf(modelId),
        providerId: providerId(at),
        providerName: provider.name,
        modelId,
        providerModelName: name,
        displayName: name,
        embeddingDimensions: null,
        aliases: [],
        tags: [],
        enabled: true,
        healthState: provider.modelHealth[index] ?? 'Unknown',
        source: 'Environment',
        createdAtUtc: provider.since.toISOString(),
        updatedAtUtc: provider.since.toISOString(),
      };
    }),
  );
}

/** Below zero, where no row of the database is; the same as long as the environment is. */
const providerId = (at: number) => -1 - at;
const modelRowId = (at: number, index: number) => -(at + 1) * 100_000 - index;

/** The same text is always the same UUID. */
function guidOf(text: string): string {
  const hex = createHash('sha256').update(`rivulet environment ${text}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

interface Page<Item> {
  items: Item[];
  totalCount: number;
}

/** A page of a list that goes on with `rest` after its last item. */
export function withRest<Item>(page: Page<Item>, rest: readonly Item[], query: { page: number; pageSize: number }) {
  const from = Math.max(0, (query.page - 1) * query.pageSize - page.totalCount);
  const more = rest.slice(from, from + query.pageSize - page.items.length);
  return toPage([...page.items, ...more], page.totalCount + rest.length, query);
}
