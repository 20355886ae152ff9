// Keeps model providers and their keys; a key is sealed when it comes in and never leaves again.
import type { Model } from '../../../../runtime/model.ts';
import { type Handlers, implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Vault } from '../../../kernel/vault.ts';
import type { ProviderDoc } from '../../../ports/ai-router.ts';
import { contains, type Filter } from '../../../ports/db.ts';
import type { ModelRouter } from '../../../ports/model-router.ts';
import { pageOf } from '../../../ports/page-of.ts';
import { sortOf } from '../../../ports/sort-of.ts';
import { defined } from '../../fields.ts';
import type { AIProviderDto } from '../dto.ts';
import { environmentProviders, withRest } from '../environment.ts';
import type { AiRouterStore } from '../store.ts';
import { syncModels } from './catalogue.ts';
import { aiProviders } from './contract.ts';
import { keyFields, keyHandlers } from './keys.ts';
import { checkAddress, parseHeaders } from './provider-address.ts';
import { testProvider } from './test-call.ts';
import { toHealthDto, toProviderDto } from './to-dto.ts';

export interface ProviderDeps {
  store: AiRouterStore;
  router: ModelRouter;
  model: Model;
  vault: Vault;
  clock: Clock;
}

type ProviderHandlers = Handlers<typeof aiProviders>;

export const aiProvidersService = implement(aiProviders, (deps: ProviderDeps) => ({
  ...registryHandlers(deps),
  ...operatingHandlers(deps),
  ...keyHandlers(deps),
}));

type Registry = 'list' | 'create' | 'get' | 'patch' | 'remove';

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a handler for each operation of the group, and what they share.
function registryHandlers({ store, router, vault, clock }: ProviderDeps): Pick<ProviderHandlers, Registry> {
  const { providers, keys, models, routes } = store;
  const toDto = async (provider: ProviderDoc) => {
    const own = { providerId: provider._id };
    const counts = {
      keys: await keys.of(provider.tenantId).countDocuments(own),
      models: await models.of(provider.tenantId).countDocuments(own),
    };
    return toProviderDto(provider, router.health(provider, null), counts);
  };
  const sealHeaders = (tenantId: number, json: string | null | undefined) => {
    if (json === undefined) return {};
    const headers = json === null ? {} : parseHeaders(json);
    const headerNames = Object.keys(headers);
    const sealedHeaders = headerNames.length > 0 ? vault.seal(tenantId, JSON.stringify(headers)) : null;
    return { sealedHeaders, headerNames };
  };

  return {
    list: async ({ caller, query }) => {
      const { healthState, ...paging } = query;
      const found = { filter: toFilter(query), sort: sortOf<ProviderDoc>(query.sort ?? 'priority') };
      const environment = (await environmentProviders(router, caller.tenantId)).filter(matches(query));
      if (healthState === undefined) {
        const { items, totalCount } = await pageOf(providers.of(caller.tenantId), { ...paging, ...found });
        return withRest(toPage(await Promise.all(items.map(toDto)), totalCount, query), environment, query);
      }
      // Health lives in memory; there are few providers.
      const all = await providers.of(caller.tenantId).find(found.filter, { sort: found.sort }).toArray();
      const matching = (await Promise.all(all.map(toDto))).filter((one) => one.healthState === healthState);
      const from = (query.page - 1) * query.pageSize;
      return withRest(toPage(matching.slice(from, from + query.pageSize), matching.length, query), environment, query);
    },
    create: async ({ caller, body }) => {
      checkAddress(body.baseUrl);
      requireAddress(body.kind, body.baseUrl);
      const provider = await providers.insert(caller, {
        name: body.name,
        kind: body.kind,
        baseUrl: body.baseUrl ?? null,
        enabled: body.enabled ?? true,
        priority: body.priority ?? 100,
        timeoutMs: body.timeoutMs ?? 600_000,
        maxConcurrency: body.maxConcurrency ?? 0,
        requestsPerMinute: body.requestsPerMinute ?? null,
        tokensPerMinute: body.tokensPerMinute ?? null,
        sealedHeaders: null,
        headerNames: [],
        ...sealHeaders(caller.tenantId, body.headersJson ?? undefined),
      });
      if (body.apiKey) await keys.insert(caller, keyFields(provider, { label: 'default', apiKey: body.apiKey }, vault));
      // The provider is there whether or not it answers yet; the list can be read again at any time.
      if (body.syncModels) await syncModels({ store, router, clock }, caller, provider, {}).catch(() => null);
      return toDto(provider);
    },
    get: async ({ caller, params }) => toDto(await providers.get(caller, params.id)),
    patch: async ({ caller, params, body }) => {
      checkAddress(body.baseUrl);
      const { headersJson, apiKey, ...fields } = body;
      const provider = await providers.get(caller, params.id);
      if (body.baseUrl !== undefined) requireAddress(provider.kind, body.baseUrl);
      const moves = await movesAway(store, provider, body);
      // Keys are of an address: before the new one is written, those of the old one are gone.
      if (moves) await keys.of(caller.tenantId).deleteMany({ providerId: params.id });
      const change = { ...defined(fields), ...sealHeaders(caller.tenantId, headersJson) };
      const changed = await providers.change(caller, params.id, change, { touches: apiKey !== undefined });
      if (apiKey !== undefined) await keys.insert(caller, keyFields(changed, { label: 'default', apiKey }, vault));
      return toDto(changed);
    },
    remove: async ({ caller, params, body }) => {
      const { tenantId } = caller;
      const { _id: providerId } = await providers.get(caller, params.id);
      const own = await models
        .of(tenantId)
        .find({ providerId }, { projection: { _id: 1 } })
        .toArray();
      const modelIds = own.map(({ _id }) => _id);
      const using = (await routes.of(tenantId).find().toArray()).filter(({ targets }) =>
        targets.some(({ aiModelId }) => modelIds.includes(aiModelId)),
      );
      if (using.length > 0 && !body?.force) throw inUse(using.map(({ name }) => name));
      // Routes first: what is left of a removal that stops half-way can be removed again.
      for (const route of using) {
        const targets = route.targets.filter(({ aiModelId }) => !modelIds.includes(aiModelId));
        await routes.change(caller, route._id, { targets });
      }
      await models.of(tenantId).deleteMany({ providerId });
      await keys.of(tenantId).deleteMany({ providerId });
      await providers.remove(caller, providerId);
      return null;
    },
  };
}

type Operating = 'test' | 'syncModels' | 'resetCircuit' | 'health';

function operatingHandlers({ store, router, model, clock }: ProviderDeps): Pick<ProviderHandlers, Operating> {
  const { providers, models } = store;
  return {
    test: async ({ caller, params, body, request }) =>
      testProvider({ store, router, model, clock }, await providers.get(caller, params.id), body, request.signal),
    syncModels: async ({ caller, params, body }) =>
      syncModels({ store, router, clock }, caller, await providers.get(caller, params.id), body),
    resetCircuit: async ({ caller, params }) => {
      const provider = await providers.get(caller, params.id);
      router.resetCircuit(provider);
      return toHealthDto(provider, null, router.health(provider, null), 15);
    },
    health: async ({ caller, query }) => {
      const filter = query.providerId === undefined ? {} : { _id: query.providerId };
      const found = await providers
        .of(caller.tenantId)
        .find(filter, { sort: { priority: 1 } })
        .toArray();
      const windowMs = query.windowMinutes * 60_000;
      const reports = found.map(async (provider) => {
        const own = await models.of(caller.tenantId).find({ providerId: provider._id }).toArray();
        return [
          toHealthDto(provider, null, router.health(provider, null, windowMs), query.windowMinutes),
          ...own.map(({ modelId, providerModelName }) =>
            toHealthDto(provider, modelId, router.health(provider, providerModelName, windowMs), query.windowMinutes),
          ),
        ];
      });
      return (await Promise.all(reports)).flat();
    },
  };
}

/**
 * Whether a change gives a provider another address.
 *
 * @throws Fault VALIDATION_FAILED where that would send a kept secret there: who knows it can give it again
 */
async function movesAway(
  { keys }: AiRouterStore,
  provider: ProviderDoc,
  change: { baseUrl?: string | null | undefined; apiKey?: string | undefined; headersJson?: string | null | undefined },
): Promise<boolean> {
  const same = (one: string | null, other: string | null) =>
    one === other || (one !== null && other !== null && new URL(one).href === new URL(other).href);
  if (change.baseUrl === undefined || same(change.baseUrl, provider.baseUrl)) return false;
  const kept = await keys.of(provider.tenantId).countDocuments({ providerId: provider._id });
  const lacking = [
    ...(kept > 0 && change.apiKey === undefined ? ['apiKey'] : []),
    ...(provider.sealedHeaders !== null && change.headersJson === undefined ? ['headersJson'] : []),
  ];
  if (lacking.length === 0) return true;
  throw new Fault('VALIDATION_FAILED', `Another address needs ${lacking.join(' and ')} again.`, {
    field: lacking[0] as string,
    hint: `Send ${lacking.join(' and ')} with baseUrl; what is kept is not sent to another server.`,
  });
}

interface ProviderFilter {
  kind?: ProviderDoc['kind'] | undefined;
  enabled?: boolean | undefined;
  q?: string | undefined;
  healthState?: AIProviderDto['healthState'] | undefined;
}

function toFilter({ kind, enabled, q }: ProviderFilter) {
  return {
    ...(kind !== undefined && { kind }),
    ...(enabled !== undefined && { enabled }),
    ...(q && { nameKey: { $regex: contains(q.toLowerCase()) } }),
  } as Filter<ProviderDoc>;
}

/** The same for providers that are in no database. */
const matches =
  ({ kind, enabled, q, healthState }: ProviderFilter) =>
  (provider: AIProviderDto): boolean =>
    (kind === undefined || provider.kind === kind) &&
    (enabled === undefined || provider.enabled === enabled) &&
    (healthState === undefined || provider.healthState === healthState) &&
    (!q || provider.name.toLowerCase().includes(q.toLowerCase()));

function requireAddress(kind: ProviderDoc['kind'], baseUrl: string | null | undefined): void {
  if (baseUrl || (kind !== 'OpenAiCompatible' && kind !== 'AzureOpenAi')) return;
  throw new Fault('VALIDATION_FAILED', 'This kind of provider has no address of its own.', {
    hint: 'Give a baseUrl, such as http://127.0.0.1:8000/v1.',
  });
}

const inUse = (names: string[]) =>
  new Fault('IN_USE', `Models of this provider are targets of the routes ${names.join(', ')}.`, {
    hint: 'Take them out of the routes, or repeat the call with {"force": true}.',
  });
