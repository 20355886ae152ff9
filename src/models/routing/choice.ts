// Decides by routes, and remembers what routes need for the next call: whose turn it is, and what conversations stick
// to.
import type { Clock } from '../../kernel/clock.ts';
import { createLru } from '../../kernel/lru.ts';
import { defaultRouterSettings } from '../../ports/ai-router.ts';
import type { RouteQuery } from '../../ports/model-router.ts';
import type { Health } from '../gateway/health.ts';
import type { Plan } from '../providers/target.ts';
import { type Decided, decide } from './decide.ts';
import type { Match } from './match.ts';
import type { Registry } from './registry.ts';

/** Decisions of one process, with the turns and the sticky targets of its routes. */
export function createChoice({ health, clock, random }: { health: Health; clock: Clock; random: () => number }) {
  const turns = createLru<number, number>(10_000);
  const stuck = createLru<string, { aiModelId: number; until: number }>(50_000);

  const decideNow = (registry: Registry, found: Match, query: RouteQuery): Decided =>
    decide(registry, found, query, {
      health,
      now: clock.now(),
      random,
      turn: (routeId) => turns.get(routeId) ?? 0,
      stuckTo(routeId) {
        const kept = stuck.get(`${routeId}/${query.stickyKey}`);
        return query.stickyKey && kept && kept.until > clock.steady() ? kept.aiModelId : null;
      },
    });

  /** The plan of the route that chose; advances its round robin. */
  const ofRoute = (
    registry: Registry,
    found: Match,
    { decision, targets }: Decided,
    query: RouteQuery,
  ): Partial<Plan> => {
    if (found.kind !== 'route') return { decision };
    const { route } = found;
    turns.set(route._id, (turns.get(route._id) ?? 0) + 1);
    const first = targets[0];
    if (query.stickyKey && route.stickySeconds > 0 && first) {
      const until = clock.steady() + route.stickySeconds * 1000;
      stuck.set(`${route._id}/${query.stickyKey}`, { aiModelId: first.model._id, until });
    }
    return {
      decision,
      routeId: route._id,
      routeName: route.name,
      timeoutMs: route.timeoutMs,
      policy: {
        ...ofSettings(registry).policy,
        maxAttempts: route.maxAttempts,
        ...(route.firstTokenTimeoutMs !== null && { firstTokenTimeoutMs: route.firstTokenTimeoutMs }),
      },
    };
  };

  return { decideNow, ofRoute };
}

/** The tenant's settings as a policy; those of a tenant that has set none are the gateway's own. */
export function ofSettings({ settings }: Registry): Pick<Plan, 'policy' | 'timeoutMs' | 'promptCache'> {
  if (settings === defaultRouterSettings) return {};
  return {
    timeoutMs: settings.defaultTimeoutMs,
    promptCache: settings.cacheEnabled && settings.cacheTtlSeconds > 0,
    policy: {
      firstTokenTimeoutMs: settings.firstTokenTimeoutMs,
      maxAttempts: settings.maxAttempts,
      backoffMs: settings.retryBackoffMs,
      circuitFailureThreshold: settings.circuitFailureThreshold,
      circuitOpenMs: settings.circuitOpenSeconds * 1000,
    },
  };
}
