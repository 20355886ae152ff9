// Keeps the catalogue of models; names and aliases are unique among all of a tenant's models.
import { anyModel } from '../../../../runtime/model.ts';
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { ModelDoc } from '../../../ports/ai-router.ts';
import { contains, type Filter } from '../../../ports/db.ts';
import type { ModelRouter } from '../../../ports/model-router.ts';
import { onceScope } from '../../../ports/once.ts';
import { pageOf } from '../../../ports/page-of.ts';
import { defined, given } from '../../fields.ts';
import { sortOf } from '../../sort.ts';
import type { AIModelDto } from '../dto.ts';
import { environmentModels, withRest } from '../environment.ts';
import { type AiRouterStore, nameTaken } from '../store.ts';
import { aiModels } from './contract.ts';

export const aiModelsService = implement(
  aiModels,
  ({ store, router }: { store: AiRouterStore; router: ModelRouter }) => {
    const { models, providers, routes } = store;
    const toDto = async (tenantId: number, found: ModelDoc[]): Promise<AIModelDto[]> => {
      const ids = [...new Set(found.map(({ providerId }) => providerId))];
      const owners = await providers
        .of(tenantId)
        .find({ _id: { $in: ids } })
        .toArray();
      return found.map((model) => {
        const owner = owners.find(({ _id }) => _id === model.providerId);
        return toModelDto(model, owner?.name ?? '', healthOf(router, model, owner?.enabled ?? false));
      });
    };
    const one = async (model: ModelDoc) => (await toDto(model.tenantId, [model]))[0] as AIModelDto;

    return {
      list: async ({ caller, query }) => {
        const { items, totalCount } = await pageOf(models.of(caller.tenantId), {
          ...query,
          filter: toFilter(query),
          sort: sortOf(query.sort ?? 'modelId'),
        });
        const environment = (await environmentModels(router, caller.tenantId)).filter(matches(query));
        return withRest(toPage(await toDto(caller.tenantId, items), totalCount, query), environment, query);
      },
      create: async ({ caller, body }) => {
        const provider = await providers.get(caller.tenantId, body.providerId);
        await checkNames(store, caller.tenantId, [body.modelId, ...(body.aliases ?? [])]);
        const { providerModelName } = body;
        const model = await models
          .insert(caller.tenantId, {
            displayName: body.modelId,
            embeddingDimensions: null,
            aliases: [],
            tags: [],
            enabled: true,
            ...router.known(provider, providerModelName),
            ...given(body),
            providerId: provider._id,
            modelId: body.modelId,
            providerModelName,
          })
          .catch((error) => Promise.reject(nameTaken(error, 'model', body.modelId)));
        return one(model);
      },
      get: async ({ caller, params }) => one(await models.get(caller.tenantId, params.id)),
      patch: async ({ caller, params, body }) => {
        const model = await models.get(caller.tenantId, params.id);
        const names = [...(body.modelId === undefined ? [] : [body.modelId]), ...(body.aliases ?? [])];
        await checkNames(store, caller.tenantId, names, model._id);
        const changed = await models
          .change(caller.tenantId, model._id, defined(body))
          .catch((error) => Promise.reject(nameTaken(error, 'model', body.modelId ?? model.modelId)));
        return one(changed);
      },
      remove: async ({ caller, params }) => {
        const { _id } = await models.get(caller.tenantId, params.id);
        for (const route of await routes.of(caller.tenantId).find().toArray()) {
          const targets = route.targets.filter(({ aiModelId }) => aiModelId !== _id);
          if (targets.length < route.targets.length) await routes.change(caller.tenantId, route._id, { targets });
        }
        await models.remove(caller.tenantId, { _id });
        return null;
      },
    };
  },
);

/** Aliases lie in an array, where no index keeps them unique. */
async function checkNames(
  { models }: AiRouterStore,
  tenantId: number,
  names: string[],
  except?: number,
): Promise<void> {
  const reserved = names.find((name) => name === anyModel || name.startsWith('route:'));
  if (reserved) {
    throw new Fault('VALIDATION_FAILED', `"${reserved}" has a meaning of its own.`, { hint: 'Choose another name.' });
  }
  if (names.length === 0) return;
  const taken = await models.of(tenantId).findOne({
    $or: [{ modelId: { $in: names } }, { aliases: { $in: names } }],
    ...(except && { _id: { $ne: except } }),
  });
  // A repeated request meets its own model.
  if (!taken || onceScope()?.took(taken._id)) return;
  const name = names.find((one) => one === taken.modelId || taken.aliases.includes(one)) ?? taken.modelId;
  throw nameTaken(new Fault('DUPLICATE', ''), 'model or alias', name);
}

function healthOf(router: ModelRouter, model: ModelDoc, providerEnabled: boolean): AIModelDto['healthState'] {
  if (!model.enabled || !providerEnabled) return 'Disabled';
  return router.health({ _id: model.providerId }, model.providerModelName).healthState;
}

function toModelDto(model: ModelDoc, providerName: string, healthState: AIModelDto['healthState']): AIModelDto {
  const { _id, tenantId, createdAt, updatedAt, ...fields } = model;
  return {
    ...fields,
    id: _id,
    providerName,
    healthState,
    source: 'Tenant',
    createdAtUtc: createdAt.toISOString(),
    updatedAtUtc: updatedAt.toISOString(),
  };
}

interface Filters {
  providerId?: number | undefined;
  kind?: ModelDoc['kind'] | undefined;
  enabled?: boolean | undefined;
  capability?: ModelDoc['capabilities'][number] | undefined;
  q?: string | undefined;
}

function toFilter({ providerId, kind, enabled, capability, q }: Filters): Filter<ModelDoc> {
  const text = q ? { $regex: contains(q), $options: 'i' as const } : null;
  return {
    ...defined({ providerId, kind, enabled }),
    ...(capability && { capabilities: capability }),
    ...(text && { $or: [{ modelId: text }, { displayName: text }] }),
  } as Filter<ModelDoc>;
}

/** The same for models that are in no database. */
const matches =
  ({ providerId, kind, enabled, capability, q }: Filters) =>
  (model: AIModelDto): boolean =>
    (providerId === undefined || model.providerId === providerId) &&
    (kind === undefined || model.kind === kind) &&
    (enabled === undefined || model.enabled === enabled) &&
    (capability === undefined || model.capabilities.includes(capability)) &&
    (!q || model.modelId.toLowerCase().includes(q.toLowerCase()));
