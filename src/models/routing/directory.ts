// The directory of targets that tenants set up, over the one of the environment: routes, budgets, keys.
import { anyModel, type ModelRequest } from '../../../runtime/model.ts';
import type { AIModelCapability } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { type BudgetDoc, modelPrefix } from '../../ports/ai-router.ts';
import type { RouteDecision, RouteQuery } from '../../ports/model-router.ts';
import type { OrgUnits } from '../../ports/org-units.ts';
import type { Health } from '../gateway/health.ts';
import { estimatePrompt } from '../pricing/token-estimates.ts';
import type { ModelDirectory, Plan, Target } from '../providers/target.ts';
import { appliesTo, budgetUse, type Spender } from './budgets.ts';
import type { Caps } from './caps.ts';
import { createChoice, ofSettings } from './choice.ts';
import { type Access, toConfig, usableKeys } from './credentials.ts';
import { type Decided, priceOf } from './decide.ts';
import { match } from './match.ts';
import type { Registries, Registry } from './registry.ts';

export interface DirectoryDeps {
  caps: Caps;
  registries: Registries;
  /** Serves requests that match nothing of the tenant: the directory of the environment. */
  environment: ModelDirectory;
  health: Health;
  access: Access;
  /** Says which organisation unit a call belongs to. */
  units: Pick<OrgUnits, 'pathOf'>;
  clock: Clock;
  random: () => number;
}

export interface RouterDirectory extends ModelDirectory {
  resolve(tenantId: number, query: RouteQuery): Promise<RouteDecision>;
}

/** Keys of one provider that a call tries in turn. */
const keysPerCall = 3;

/** The targets of a decision: the usable keys of each candidate's provider, one after the other. */
const withKeys = (
  registry: Registry,
  { targets }: Decided,
  { access, clock, random }: Pick<DirectoryDeps, 'access' | 'clock' | 'random'>,
): Target[] =>
  targets.flatMap(({ model, modelName, provider, target }) => {
    const keys = usableKeys(registry.keys.get(provider._id) ?? [], clock.now(), random).slice(0, keysPerCall);
    return (keys.length > 0 ? keys : [null]).map((key) => ({
      modelId: model.modelId,
      modelName,
      provider: toConfig(provider, key, access),
      price: priceOf(model),
      aiModelId: model._id,
      temperature: target?.temperature ?? undefined,
      maxOutputTokens: target?.maxOutputTokens ?? undefined,
      reasoningEffort: target?.reasoningEffort ?? undefined,
      maxConcurrency: target?.maxConcurrency ?? undefined,
    }));
  });

export function createRouterDirectory(deps: DirectoryDeps): RouterDirectory {
  const { caps, registries, environment, health, clock, random } = deps;

  const { decideNow, ofRoute } = createChoice({ health, clock, random });

  /** What the environment has for one model id; nothing where it has nothing. */
  const fromEnvironment = async (request: ModelRequest, modelId: string): Promise<Target[]> => {
    const plan = await environment.plan({ ...request, modelId, fallbackModelIds: [] });
    return plan.targets;
  };

  const fallbacks = async (registry: Registry, request: ModelRequest, query: RouteQuery): Promise<Target[]> => {
    const found = await Promise.all(
      (request.fallbackModelIds ?? []).map(async (modelId) => {
        const known = match(registry, { ...query, modelId });
        if (known.kind === 'environment') return fromEnvironment(request, modelId).catch(() => []);
        return withKeys(registry, decideNow(registry, known, withTokens(query, request)), deps);
      }),
    );
    return found.flat();
  };

  const plan = async (request: ModelRequest): Promise<Plan> => {
    const asked = toQuery(request);
    await caps.requireMoney(request.tenantId, asked.kind === 'Embedding');
    const registry = await registries.of(request.tenantId);
    let found = match(registry, asked);
    const orgUnitIds = (await deps.units.pathOf(request)).map(({ id }) => id);
    const spender = { ...request, orgUnitIds, routeId: found.kind === 'route' ? found.route._id : null };
    const instead = enforce(registry, spender, clock.now());
    if (instead !== null) found = match(registry, { routeId: instead });
    const more = await fallbacks(registry, request, asked);
    if (found.kind === 'environment') {
      if (request.modelId === anyModel && asked.kind === 'Embedding') throw noEmbedder();
      const own = await fromEnvironment(request, request.modelId).catch((error) => {
        if (more.length > 0) return [];
        throw ofProvider(registry, request.modelId) ?? error;
      });
      const allowed = await caps.allowed(request, [...own, ...more]);
      return { targets: usable(registry, allowed, clock.now()), ...ofSettings(registry) };
    }
    const query = withTokens(asked, request);
    const decided = decideNow(registry, found, query);
    const targets = [...withKeys(registry, decided, deps), ...more];
    if (targets.length === 0) throw nowhere(decided.decision);
    return {
      targets: usable(registry, await caps.allowed(request, targets), clock.now()),
      ...ofSettings(registry),
      ...ofRoute(registry, found, decided, query),
    };
  };

  return {
    plan,
    facts(modelId) {
      const model = registries.findModel(modelId === anyModel ? environment.defaultModelId() : modelId);
      if (!model) return environment.facts(modelId);
      const family = environment.facts(modelId);
      return {
        contextTokens: model.contextWindow || (family?.contextTokens ?? 32_768),
        maxOutputTokens: model.maxOutputTokens ?? family?.maxOutputTokens ?? 8_192,
        price: priceOf(model),
      };
    },
    defaultModelId: () => environment.defaultModelId(),
    async resolve(tenantId, query) {
      const registry = await registries.of(tenantId);
      return decideNow(registry, match(registry, query), query).decision;
    },
  };
}

function toQuery(request: ModelRequest): RouteQuery {
  const needsImages = request.messages.some(
    ({ role, content }) =>
      role === 'user' && typeof content !== 'string' && content.some(({ type }) => type === 'image'),
  );
  const capabilities: AIModelCapability[] = [
    ...(needsImages ? ['Vision' as const] : []),
    ...(request.tools?.length ? ['Tools' as const] : []),
  ];
  return {
    ...request,
    capabilities,
    kind: request.purpose === 'Embedding' ? 'Embedding' : 'Chat',
    stickyKey: request.cacheKey,
  };
}

/** The query with its prompt counted, which only a choice between models asks for. */
const withTokens = (query: RouteQuery, request: ModelRequest): RouteQuery => ({
  ...query,
  promptTokens: estimatePrompt(request),
});

/** The route to use instead where a budget is spent; null where none is. Throws where it blocks. */
function enforce(registry: Registry, spender: Spender, now: number): number | null {
  const spent = registry.budgets.filter((one) => appliesTo(one, spender) && budgetUse(one, now).state === 'Exhausted');
  const blocking = spent.find(({ action }) => action === 'Block');
  if (blocking) throw exceeded(blocking);
  return (
    spent.find(({ action, downgradeRouteId }) => action === 'Downgrade' && downgradeRouteId !== null)
      ?.downgradeRouteId ?? null
  );
}

/** What is left of the targets, with the tenant's wish how long prompts are cached. */
const usable = (registry: Registry, targets: Target[], now: number): Target[] =>
  affordable(registry, targets, now).map((target) => ({
    ...target,
    cacheTtlSeconds: registry.settings.cacheTtlSeconds,
  }));

/** Without the targets whose provider's or model's own budget is spent. */
function affordable(registry: Registry, targets: Target[], now: number): Target[] {
  const blocks = registry.budgets.filter(
    ({ scope, action }) => action === 'Block' && (scope === 'Provider' || scope === 'Model'),
  );
  let blocking: BudgetDoc | undefined;
  const left = targets.filter(({ provider, modelId }) => {
    const spent = blocks.find(
      (budget) =>
        appliesTo(budget, { providerId: provider.id, modelId }) && budgetUse(budget, now).state === 'Exhausted',
    );
    blocking ??= spent;
    return !spent;
  });
  if (left.length === 0 && blocking) throw exceeded(blocking);
  return left;
}

/** Names the provider whose model is not in the catalogue; the environment knows nothing of it. */
function ofProvider({ providers }: Registry, modelId: string): Fault | null {
  const prefix = modelId.slice(0, Math.max(0, modelId.indexOf(':'))).toLowerCase();
  const provider = [...providers.values()].find((one) => modelPrefix(one) === prefix);
  if (!provider) return null;
  return new Fault('NOT_CONFIGURED', `The provider ${provider.name} has no model "${modelId.slice(0, 100)}" here.`, {
    hint: `Have its models read with POST /api/ai-router/providers/${provider._id}/sync-models, or add this one with POST /api/ai-router/models.`,
  });
}

const exceeded = ({ name }: BudgetDoc) =>
  new Fault('BUDGET_EXCEEDED', `The budget "${name}" is used up.`, {
    hint: 'Raise its limit or reset it with PATCH /api/ai-router/budgets/{id}, or wait for its next period.',
  });

const noEmbedder = () =>
  new Fault('NOT_CONFIGURED', 'No embedding model was named, and there is no default route for one.', {
    hint: 'Name a model, or set defaultEmbeddingRouteId with PUT /api/ai-router/settings.',
  });

function nowhere({ routeName, candidates }: RouteDecision): Fault {
  const reasons = candidates.map(({ modelId, rejectedReason }) => `${modelId}: ${rejectedReason}`).join('; ');
  const what = routeName ? `The route ${routeName} has no model for this call` : 'The model cannot take this call';
  return new Fault('NO_ROUTE_AVAILABLE', reasons ? `${what} (${reasons}).` : `${what}.`, {
    hint: 'See why with POST /api/ai-router/routes/{id}/explain.',
  });
}
