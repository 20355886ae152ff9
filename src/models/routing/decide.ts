// Decides about one call: which candidates there are, which of them are out and why, and in which order they come.
import {
  isPriced,
  type ModelDoc,
  type ProviderDoc,
  type RouteDoc,
  type RouteTargetDoc,
} from '../../ports/ai-router.ts';
import { ownCheckpoint } from '../../ports/checkpoints.ts';
import type { RouteDecision, RouteQuery } from '../../ports/model-router.ts';
import type { Health } from '../gateway/health.ts';
import type { Price } from '../pricing/pricing.ts';
import { worstCaseUsd } from '../pricing/pricing.ts';
import { appliesTo, budgetUse, worse } from './budgets.ts';
import { needsKey, providerKeyOf, usableKeys } from './credentials.ts';
import type { Match } from './match.ts';
import { type Rated, rank } from './policy.ts';
import type { Registry } from './registry.ts';

export interface Circumstances {
  health: Health;
  now: number;
  random: () => number;
  /** Calls of a route so far. */
  turn: (routeId: number) => number;
  /** Model that this conversation last got from the route and should keep. */
  stuckTo: (routeId: number) => number | null;
}

/** A decision with the documents behind its candidates, by rank. */
export interface Decided {
  decision: RouteDecision;
  targets: {
    model: ModelDoc;
    /** What its provider calls it. */
    modelName: string;
    provider: ProviderDoc;
    target: RouteTargetDoc | null;
    route: RouteDoc | null;
  }[];
}

/** Decides without calling anything. A match with the environment has no candidates. */
export function decide(registry: Registry, found: Match, query: RouteQuery, now: Circumstances): Decided {
  const routes = found.kind === 'route' ? chain(registry, found.route) : [];
  const warnings: string[] = [];
  const ranked =
    found.kind === 'model'
      ? rank('Priority', [rate(registry, found.model, null, null, query, now)], { random: now.random, turn: 0 })
      : routes.flatMap((route) => rankRoute(registry, route, query, now));
  const candidates = ranked.map((candidate, at) => ({ ...candidate, rank: at + 1 }));
  const first = routes[0];
  const budgetState = budgetStateOf(registry, query, first?._id ?? null, now.now, warnings);
  if (first && !first.enabled) warnings.push(`The route ${first.name} is switched off.`);
  return {
    decision: {
      routeId: first?._id ?? null,
      routeName: first?.name ?? null,
      policy: first?.policy ?? null,
      matchedBy: found.matchedBy,
      chosen: candidates.find(({ eligible }) => eligible) ?? null,
      candidates,
      budgetState,
      warnings,
    },
    targets: candidates.flatMap((candidate) => {
      const model = registry.models.get(candidate.aiModelId);
      const provider = model && registry.providers.get(model.providerId);
      if (!candidate.eligible || !model || !provider) return [];
      const route = candidate.routeId === null ? null : (registry.routes.get(candidate.routeId) ?? null);
      const target = route?.targets.find(({ aiModelId }) => aiModelId === model._id) ?? null;
      const modelName = nameAtProvider(registry, model, query) ?? model.providerModelName;
      return [{ model, modelName, provider, target, route }];
    }),
  };
}

/** A route and those that it falls back to, each once. */
function chain({ routes }: Registry, first: RouteDoc): RouteDoc[] {
  const found: RouteDoc[] = [];
  for (let route: RouteDoc | undefined = first; route && !found.includes(route); ) {
    found.push(route);
    route = route.fallbackRouteId === null ? undefined : routes.get(route.fallbackRouteId);
  }
  return found.filter((route) => route === first || route.enabled);
}

function rankRoute(registry: Registry, route: RouteDoc, query: RouteQuery, now: Circumstances) {
  const rated = route.targets.flatMap((target) => {
    const model = registry.models.get(target.aiModelId);
    return model ? [rate(registry, model, route, target, query, now)] : [];
  });
  const ranked = rank(route.policy, rated, { random: now.random, turn: now.turn(route._id) });
  const stuck = route.stickySeconds > 0 ? now.stuckTo(route._id) : null;
  const keep = ranked.find(({ aiModelId, eligible }) => eligible && aiModelId === stuck);
  return keep ? [keep, ...ranked.filter((one) => one !== keep)] : ranked;
}

function rate(
  registry: Registry,
  model: ModelDoc,
  route: RouteDoc | null,
  target: RouteTargetDoc | null,
  query: RouteQuery,
  { health, now, random }: Circumstances,
): Rated {
  const provider = registry.providers.get(model.providerId);
  const key = provider ? providerKeyOf(provider) : '';
  const modelName = nameAtProvider(registry, model, query);
  const modelHealth = health.snapshot(`${key}/${modelName}`);
  const providerHealth = health.snapshot(key);
  const price = priceOf(model);
  const estimatedCostUsd = price && worstCaseUsd(price, query.promptTokens ?? 1_000, outputOf(model, target, query));
  const keys = provider ? usableKeys(registry.keys.get(provider._id) ?? [], now, random) : [];
  const rejectedReason = rejection({
    provider,
    model,
    modelName,
    route,
    target,
    query,
    estimatedCostUsd,
    hasKey: keys.length > 0,
    circuit: providerHealth.circuit,
  });
  return {
    aiModelId: model._id,
    modelId: model.modelId,
    providerId: model.providerId,
    providerName: provider?.name ?? '',
    routeId: route?._id ?? null,
    eligible: rejectedReason === null,
    rejectedReason,
    estimatedCostUsd,
    latencyP50Ms: modelHealth.firstTokenP50Ms ?? modelHealth.latencyP50Ms,
    errorRate: modelHealth.errorRate,
    healthState:
      provider && !provider.enabled
        ? 'Disabled'
        : modelHealth.state === 'Unknown'
          ? providerHealth.state
          : modelHealth.state,
    inFlight: modelHealth.inFlight,
    priority: target?.priority ?? 0,
    weight: target?.weight ?? 1,
    maxConcurrency: target?.maxConcurrency ?? provider?.maxConcurrency ?? null,
  };
}

/** Of a model that stands for the active checkpoint of whoever calls: that one; null where there is none. */
function nameAtProvider({ checkpoints }: Registry, { providerModelName }: ModelDoc, { identityId }: RouteQuery) {
  if (providerModelName !== ownCheckpoint) return providerModelName;
  return identityId == null ? null : (checkpoints.get(identityId) ?? null);
}

const outputOf = (model: ModelDoc, target: RouteTargetDoc | null, query: RouteQuery) =>
  query.maxOutputTokens ?? target?.maxOutputTokens ?? Math.min(model.maxOutputTokens ?? 1_000, 1_000);

/** The catalogue's price of a model; null where none was set, which the catalogue stores as zeros. */
export const priceOf = (model: ModelDoc): Price | null =>
  isPriced(model)
    ? {
        input: model.inputPricePerMTok,
        output: model.outputPricePerMTok,
        cacheRead: model.cachedInputPricePerMTok ?? undefined,
      }
    : null;

interface Standing {
  provider: ProviderDoc | undefined;
  model: ModelDoc;
  modelName: string | null;
  route: RouteDoc | null;
  target: RouteTargetDoc | null;
  query: RouteQuery;
  estimatedCostUsd: number | null;
  hasKey: boolean;
  circuit: string;
}

/** Why a candidate is out; null when it is not. */
function rejection({
  provider,
  model,
  modelName,
  route,
  target,
  query,
  estimatedCostUsd,
  hasKey,
  circuit,
}: Standing): string | null {
  if (!provider) return 'its provider is gone';
  if (!provider.enabled) return 'its provider is switched off';
  if (!model.enabled) return 'the model is switched off';
  if (modelName === null) return 'the identity has no active checkpoint';
  if (target && !target.enabled) return 'the target is switched off';
  if (model.kind !== (query.kind ?? route?.kind ?? 'Chat')) return `it is a model for ${model.kind}`;
  if (query.excludeProviderIds?.includes(provider._id)) return 'its provider was excluded';
  const needed = [...(route?.requiredCapabilities ?? []), ...(query.capabilities ?? [])];
  const lacking = needed.find((one) => !model.capabilities.includes(one));
  if (lacking) return `it lacks ${lacking}`;
  const tokens = (query.promptTokens ?? 0) + (query.maxOutputTokens ?? 0);
  if (model.contextWindow > 0 && tokens > model.contextWindow)
    return `its context window holds ${model.contextWindow} tokens`;
  if (route?.maxCostPerCallUsd != null && estimatedCostUsd !== null && estimatedCostUsd > route.maxCostPerCallUsd)
    return 'it may cost more than the route allows';
  if (needsKey(provider) && !hasKey) return 'its provider has no usable key';
  if (circuit === 'Open') return 'its provider keeps failing and is left alone for now';
  return null;
}

function budgetStateOf(registry: Registry, query: RouteQuery, routeId: number | null, now: number, warnings: string[]) {
  let state: RouteDecision['budgetState'] = 'Unlimited';
  for (const budget of registry.budgets) {
    if (!appliesTo(budget, { ...query, routeId })) continue;
    const use = budgetUse(budget, now);
    state = worse(state, use.state);
    if (use.state === 'Warning' || use.state === 'Exhausted') {
      warnings.push(`The budget "${budget.name}" is used up to ${Math.floor(use.percent)} %.`);
    }
  }
  return state;
}
