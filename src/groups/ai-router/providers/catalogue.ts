// Brings the catalogue up to date with what a provider itself lists.
import type { Clock } from '../../../kernel/clock.ts';
import { type ModelDoc, modelPrefix, type ProviderDoc } from '../../../ports/ai-router.ts';
import { isDuplicate } from '../../../ports/duplicate.ts';
import type { By } from '../../../ports/keeper.ts';
import type { ModelRouter } from '../../../ports/model-router.ts';
import type { Draft } from '../../../ports/record.ts';
import type { AIModelSyncDto } from '../dto.ts';
import type { AiRouterStore } from '../store.ts';

interface Deps {
  store: AiRouterStore;
  router: ModelRouter;
  clock: Clock;
}

interface Wish {
  disableMissing?: boolean | null | undefined;
  dryRun?: boolean | null | undefined;
}

/** Marks a model that the provider stopped listing, so that it comes back when the provider lists it again. */
const missingTag = 'missing';

/** Adds new models, and switches off and on again those that come and go. What people changed stays as it is. */
export async function syncModels(
  { store, router, clock }: Deps,
  by: By,
  provider: ProviderDoc,
  wish: Wish,
): Promise<AIModelSyncDto> {
  const { tenantId, _id: providerId } = provider;
  const { models } = store;
  const [listed, known] = await Promise.all([
    router.listModels(provider),
    models.of(tenantId).find({ providerId }).toArray(),
  ]);
  const byName = new Map(known.map((model) => [model.providerModelName, model]));
  const added = [...new Set(listed)].filter((name) => !byName.has(name));
  const back = known.filter((model) => model.tags.includes(missingTag) && listed.includes(model.providerModelName));
  const gone = wish.disableMissing
    ? known.filter((model) => model.enabled && !listed.includes(model.providerModelName))
    : [];
  const done: string[] = [];
  for (const name of added) {
    const modelId = `${modelPrefix(provider)}:${name}`;
    if (wish.dryRun || (await insertModel({ store, router, by }, provider, modelId, name))) done.push(modelId);
  }
  if (!wish.dryRun) {
    for (const model of back) {
      const tags = model.tags.filter((tag) => tag !== missingTag);
      await models.change(by, model._id, { enabled: true, tags });
    }
    for (const model of gone) await models.change(by, model._id, { enabled: false, tags: [...model.tags, missingTag] });
  }
  return {
    providerId,
    added: done,
    updated: back.map(({ modelId }) => modelId),
    disabled: gone.map(({ modelId }) => modelId),
    unchangedCount: known.length - back.length - gone.length,
    dryRun: wish.dryRun ?? false,
    syncedAtUtc: new Date(clock.now()).toISOString(),
  };
}

/** False where the id is taken by somebody's own model. */
async function insertModel(
  { store: { models }, router, by }: Pick<Deps, 'store' | 'router'> & { by: By },
  provider: ProviderDoc,
  modelId: string,
  name: string,
): Promise<boolean> {
  const facts = router.known(provider, name);
  const fields: Draft<ModelDoc> = {
    ...facts,
    providerId: provider._id,
    modelId,
    providerModelName: name,
    displayName: name,
    embeddingDimensions: null,
    aliases: [],
    tags: [],
    enabled: true,
  };
  try {
    await models.insert(by, fields);
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}
