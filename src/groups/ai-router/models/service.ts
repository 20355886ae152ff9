// Keeps the catalogue of models; names and aliases are unique among all of a tenant's models.
import { anyModel } from '../../../../runtime/model.ts';
import type { AIModelCapability } from '../../../contract/enums.ts';
import { implement } from '../../../contract/operation.ts';
import { Fault } from '../../../kernel/fault.ts';
import { isPriced, type ModelDoc } from '../../../ports/ai-router.ts';
import { type By, nameTaken } from '../../../ports/keeper.ts';
import type { ModelRouter } from '../../../ports/model-router.ts';
import { onceScope } from '../../../ports/once.ts';
import { shown } from '../../../ports/shown.ts';
import { defined, given } from '../../fields.ts';
import { kept } from '../../kept.ts';
import { AIModelDto } from '../dto.ts';
import { environmentModels, withRest } from '../environment.ts';
import type { AiRouterStore } from '../store.ts';
import { aiModels } from './contract.ts';

export const aiModelsService = implement(
  aiModels,
  ({ store, router }: { store: AiRouterStore; router: ModelRouter }) => {
    const { models, providers, routes } = store;
    const showAll = async (found: ModelDoc[], by: By): Promise<AIModelDto[]> => {
      const ids = [...new Set(found.map(({ providerId }) => providerId))];
      const owners = await providers
        .of(by.tenantId)
        .find({ _id: { $in: ids } })
        .toArray();
      return found.map((model) => {
        const owner = owners.find(({ _id }) => _id === model.providerId);
        const healthState = healthOf(router, model, owner?.enabled ?? false);
        return shown(AIModelDto, model, {
          providerName: owner?.name ?? '',
          healthState,
          source: 'Tenant',
          priceKnown: isPriced(model),
        });
      });
    };
    const usual = kept(aiModels, models, {
      showAll,
      show: async (model) => (await showAll([model], model))[0] as AIModelDto,
      filters: { capability: (capabilities: AIModelCapability) => ({ capabilities }) },
      draft: async (body, caller) => {
        const provider = await providers.get(caller, body.providerId);
        await checkNames(store, caller.tenantId, [body.modelId, ...(body.aliases ?? [])]);
        const { modelId, providerModelName } = body;
        const known = router.known(provider, providerModelName);
        return {
          ...plainModel,
          displayName: modelId,
          ...known,
          ...given(body),
          priceKnown: known.priceKnown || tellsPrice(body),
          providerId: provider._id,
          modelId,
          providerModelName,
        };
      },
      change: async (body, model) => {
        const names = [...(body.modelId === undefined ? [] : [body.modelId]), ...(body.aliases ?? [])];
        await checkNames(store, model.tenantId, names, model._id);
        return { ...defined(body), ...(tellsPrice(body) && { priceKnown: true }) };
      },
    });

    return {
      ...usual,
      list: async (input) => {
        const environment = (await environmentModels(router, input.caller.tenantId)).filter(matches(input.query));
        return withRest(await usual.list(input), environment, input.query);
      },
      remove: async ({ caller, params }) => {
        const { _id } = await models.get(caller, params.id);
        for (const route of await routes.of(caller.tenantId).find().toArray()) {
          const targets = route.targets.filter(({ aiModelId }) => aiModelId !== _id);
          if (targets.length < route.targets.length) await routes.change(caller, route._id, { targets });
        }
        await models.remove(caller, _id);
        return null;
      },
    };
  },
);

interface Prices {
  inputPricePerMTok?: number | null | undefined;
  outputPricePerMTok?: number | null | undefined;
}

/** Who sends a price means it, also when it is 0. */
const tellsPrice = ({ inputPricePerMTok, outputPricePerMTok }: Prices) =>
  inputPricePerMTok != null || outputPricePerMTok != null;

const plainModel = { embeddingDimensions: null, aliases: [], tags: [], enabled: true };

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
  throw nameTaken('model or alias', name);
}

function healthOf(router: ModelRouter, model: ModelDoc, providerEnabled: boolean): AIModelDto['healthState'] {
  if (!model.enabled || !providerEnabled) return 'Disabled';
  return router.health({ _id: model.providerId }, model.providerModelName).healthState;
}

interface Filters {
  providerId?: number | undefined;
  kind?: ModelDoc['kind'] | undefined;
  enabled?: boolean | undefined;
  capability?: ModelDoc['capabilities'][number] | undefined;
  q?: string | undefined;
}

/** The filters of the list, for models that are in no database. */
const matches =
  ({ providerId, kind, enabled, capability, q }: Filters) =>
  (model: AIModelDto): boolean =>
    (providerId === undefined || model.providerId === providerId) &&
    (kind === undefined || model.kind === kind) &&
    (enabled === undefined || model.enabled === enabled) &&
    (capability === undefined || model.capabilities.includes(capability)) &&
    (!q || model.modelId.toLowerCase().includes(q.toLowerCase()));
