// Keeps routes: targets that exist, no fallback in a circle, one default of each kind.
import { implement } from '../../../contract/operation.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { RouteDoc, RouteTargetDoc } from '../../../ports/ai-router.ts';
import type { By } from '../../../ports/keeper.ts';
import type { ModelRouter } from '../../../ports/model-router.ts';
import { defined } from '../../fields.ts';
import { kept } from '../../kept.ts';
import type { AIRouteDto } from '../dto.ts';
import type { AiRouterStore } from '../store.ts';
import { aiRoutes } from './contract.ts';

export const aiRoutesService = implement(
  aiRoutes,
  ({ store, router }: { store: AiRouterStore; router: ModelRouter }) => {
    const { routes } = store;
    const showAll = (found: RouteDoc[], { tenantId }: By) => withNames(store, tenantId, found);
    const show = async (route: RouteDoc) => (await showAll([route], route))[0] as AIRouteDto;
    const usual = kept(aiRoutes, routes, {
      show,
      showAll,
      draft: async ({ targets, ...body }, { tenantId }) => {
        await checkTargets(store, tenantId, targets);
        await checkFallback(store, tenantId, null, body.fallbackRouteId);
        const route = { ...plainRoute, ...defined(body), name: body.name, policy: body.policy };
        return { ...route, targets: targets.map(toTarget) };
      },
      change: async (body, { _id, tenantId }) => {
        await checkFallback(store, tenantId, _id, body.fallbackRouteId);
        return defined(body);
      },
      mayWrite: (route, { tenantId }, how) => (how === 'remove' ? checkUnused(store, tenantId, route) : undefined),
    });
    /** What has become the default of its kind takes that from the others. */
    const asOnlyDefault = async (route: AIRouteDto, by: By, asked: boolean | undefined) => {
      if (asked) await clearOtherDefaults(store, by, { kind: route.kind, _id: route.id });
      return route;
    };

    return {
      ...usual,
      create: async (input) => asOnlyDefault(await usual.create(input), input.caller, input.body.isDefault),
      patch: async (input) => asOnlyDefault(await usual.patch(input), input.caller, input.body.isDefault),
      setTargets: async ({ caller, params, body }) => {
        await routes.get(caller, params.id);
        await checkTargets(store, caller.tenantId, body.targets);
        return show(await routes.change(caller, params.id, { targets: body.targets.map(toTarget) }));
      },
      explain: async ({ caller, params, body }) => {
        await routes.get(caller, params.id);
        const { capabilities, promptTokens, maxOutputTokens, excludeProviderIds, ...who } = body;
        return router.resolve(caller.tenantId, {
          ...who,
          routeId: params.id,
          capabilities: capabilities ?? undefined,
          promptTokens: promptTokens ?? undefined,
          maxOutputTokens: maxOutputTokens ?? undefined,
          excludeProviderIds: excludeProviderIds ?? undefined,
        });
      },
      resolve: ({ caller, query }) => {
        const { model, capability, ...rest } = query;
        return router.resolve(caller.tenantId, {
          ...rest,
          modelId: model,
          capabilities: capability ? [capability] : [],
        });
      },
    };
  },
);

const plainRoute = {
  description: null,
  kind: 'Chat' as const,
  fallbackRouteId: null,
  matchRoles: [],
  matchIdentityIds: [],
  matchProjectIds: [],
  requiredCapabilities: [],
  isDefault: false,
  enabled: true,
  maxAttempts: 3,
  timeoutMs: 600_000,
  firstTokenTimeoutMs: null,
  maxCostPerCallUsd: null,
  stickySeconds: 0,
};

interface TargetInput extends Partial<Record<keyof Omit<RouteTargetDoc, 'aiModelId'>, unknown>> {
  aiModelId: number;
  priority?: number | null | undefined;
  weight?: number | null | undefined;
  enabled?: boolean | null | undefined;
  maxConcurrency?: number | null | undefined;
  temperature?: number | null | undefined;
  maxOutputTokens?: number | null | undefined;
  reasoningEffort?: string | null | undefined;
}

/** Without a priority of their own, targets come in the order in which they are given. */
const toTarget = (target: TargetInput, at: number): RouteTargetDoc => ({
  aiModelId: target.aiModelId,
  priority: target.priority ?? at,
  weight: target.weight ?? 1,
  enabled: target.enabled ?? true,
  maxConcurrency: target.maxConcurrency ?? null,
  temperature: target.temperature ?? null,
  maxOutputTokens: target.maxOutputTokens ?? null,
  reasoningEffort: target.reasoningEffort ?? null,
});

async function checkTargets({ models }: AiRouterStore, tenantId: number, targets: TargetInput[]): Promise<void> {
  const ids = targets.map(({ aiModelId }) => aiModelId);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) {
    throw new Fault('VALIDATION_FAILED', `The model ${twice} is a target twice.`, { hint: 'Name each model once.' });
  }
  const known = await models
    .of(tenantId)
    .find({ _id: { $in: ids } })
    .toArray();
  const missing = ids.find((id) => !known.some(({ _id }) => _id === id));
  if (missing === undefined) return;
  throw new Fault('NOT_FOUND', `There is no model ${missing}.`, {
    hint: 'List models with GET /api/ai-router/models.',
  });
}

async function checkFallback(
  { routes }: AiRouterStore,
  tenantId: number,
  id: number | null,
  fallbackId: number | null | undefined,
): Promise<void> {
  for (let next = fallbackId ?? null, steps = 0; next !== null; steps++) {
    if (next === id || steps > 100) {
      throw new Fault('CYCLE_DETECTED', 'The fallback routes would lead in a circle.', {
        hint: 'Choose a fallbackRouteId that does not come back to this route.',
      });
    }
    next = (await routes.get({ tenantId }, next)).fallbackRouteId;
  }
}

async function clearOtherDefaults(
  { routes }: AiRouterStore,
  by: By,
  { kind, _id }: Pick<RouteDoc, 'kind' | '_id'>,
): Promise<void> {
  const others = await routes
    .of(by.tenantId)
    .find({ kind, isDefault: true, _id: { $ne: _id } })
    .toArray();
  for (const other of others) await routes.change(by, other._id, { isDefault: false });
}

async function checkUnused(store: AiRouterStore, tenantId: number, route: RouteDoc): Promise<void> {
  const settings = await store.settings.get({ tenantId }, tenantId);
  const inSettings = [
    settings.defaultChatRouteId,
    settings.defaultRunRouteId,
    settings.defaultEmbeddingRouteId,
    settings.supervisorRouteId,
    settings.summaryRouteId,
  ].includes(route._id);
  if (route.isDefault || inSettings) {
    throw new Fault('IN_USE', `The route ${route.name} is a default.`, {
      hint: 'Make another route the default first, or change PUT /api/ai-router/settings.',
    });
  }
  const fallingBack = await store.routes.of(tenantId).findOne({ fallbackRouteId: route._id });
  const downgrading = await store.budgets.of(tenantId).findOne({ downgradeRouteId: route._id });
  const user = fallingBack?.name ?? downgrading?.name;
  if (user) {
    throw new Fault('IN_USE', `The route ${route.name} is what "${user}" falls back to.`, {
      hint: 'Change its fallback first.',
    });
  }
}

async function withNames(
  { models, providers }: AiRouterStore,
  tenantId: number,
  routes: RouteDoc[],
): Promise<AIRouteDto[]> {
  const ids = [...new Set(routes.flatMap(({ targets }) => targets.map(({ aiModelId }) => aiModelId)))];
  const [known, owners] = await Promise.all([
    models
      .of(tenantId)
      .find({ _id: { $in: ids } })
      .toArray(),
    providers.of(tenantId).find().toArray(),
  ]);
  return routes.map(({ _id, tenantId: _, nameKey, createdAt, updatedAt, targets, ...fields }) => ({
    ...fields,
    id: _id,
    targets: targets.map((target) => {
      const model = known.find((one) => one._id === target.aiModelId);
      const owner = owners.find((one) => one._id === model?.providerId);
      return { ...target, modelId: model?.modelId ?? null, providerName: owner?.name ?? null };
    }),
    createdAtUtc: createdAt.toISOString(),
    updatedAtUtc: updatedAt.toISOString(),
  }));
}
