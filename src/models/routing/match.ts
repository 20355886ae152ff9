// Finds what a request's model id stands for: a model of the catalogue, a route, or the environment's providers.
import { anyModel } from '../../../runtime/model.ts';
import { Fault } from '../../kernel/fault.ts';
import type { ModelDoc, RouteDoc } from '../../ports/ai-router.ts';
import type { RouteQuery } from '../../ports/model-router.ts';
import type { Registry } from './registry.ts';

export type Match =
  | { kind: 'model'; model: ModelDoc; matchedBy: 'model' }
  | { kind: 'route'; route: RouteDoc; matchedBy: 'route' | 'role' | 'identity' | 'project' | 'settings' | 'default' }
  | { kind: 'environment'; matchedBy: 'environment' };

const routePrefix = 'route:';

/**
 * A model or route that is named goes before everything else. Without one routes are looked at: of the role, the
 * identity, the project, the purpose, the default one.
 *
 * @throws Fault NOT_FOUND for a route that is not there, FORBIDDEN where models may not be named directly
 */
export function match(registry: Registry, query: RouteQuery): Match {
  const { modelId } = query;
  if (query.routeId != null) return { kind: 'route', route: routeById(registry, query.routeId), matchedBy: 'route' };
  if (modelId?.startsWith(routePrefix)) {
    return { kind: 'route', route: routeByName(registry, modelId.slice(routePrefix.length)), matchedBy: 'route' };
  }
  const open = !modelId || modelId === anyModel;
  const found = open ? chosenRoute(registry, query) : null;
  if (found) return found;
  const model = modelId ? registry.modelsByName.get(modelId) : undefined;
  // Administrators try out single models whatever the rule for others.
  if (!open && !registry.settings.allowDirectModel && query.purpose !== 'Test') throw mustRoute();
  return model ? { kind: 'model', model, matchedBy: 'model' } : { kind: 'environment', matchedBy: 'environment' };
}

function chosenRoute({ routes, settings }: Registry, query: RouteQuery): Match | null {
  const kind = query.kind ?? 'Chat';
  const usable = [...routes.values()].filter((route) => route.enabled && route.kind === kind);
  const role = query.role?.toLowerCase();
  const tries: [Exclude<Match['matchedBy'], 'model' | 'environment' | 'route'>, (route: RouteDoc) => boolean][] = [
    ['role', (route) => role !== undefined && route.matchRoles.some((one) => one.toLowerCase() === role)],
    ['identity', (route) => query.identityId != null && route.matchIdentityIds.includes(query.identityId)],
    ['project', (route) => query.projectId != null && route.matchProjectIds.includes(query.projectId)],
    ['settings', (route) => route._id === settingsRoute(settings, query)],
    ['default', (route) => route.isDefault],
  ];
  for (const [matchedBy, matches] of tries) {
    const route = usable.find(matches);
    if (route) return { kind: 'route', route, matchedBy };
  }
  return null;
}

function settingsRoute(settings: Registry['settings'], { kind, purpose }: RouteQuery): number | null {
  if (kind === 'Embedding' || purpose === 'Embedding') return settings.defaultEmbeddingRouteId;
  if (purpose === 'Supervisor') return settings.supervisorRouteId ?? settings.defaultRunRouteId;
  if (purpose === 'Summary' || purpose === 'Title') return settings.summaryRouteId ?? settings.defaultChatRouteId;
  if (purpose === 'Run' || purpose === 'Council') return settings.defaultRunRouteId;
  return settings.defaultChatRouteId;
}

function routeById({ routes }: Registry, id: number): RouteDoc {
  const route = routes.get(id);
  if (route) return route;
  throw new Fault('NOT_FOUND', `There is no route ${id}.`, { hint: 'List routes with GET /api/ai-router/routes.' });
}

function routeByName({ routes }: Registry, name: string): RouteDoc {
  const found = [...routes.values()].find(
    (route) => route.nameKey === name.toLowerCase() || String(route._id) === name,
  );
  if (found) return found;
  throw new Fault('NOT_FOUND', `There is no route named "${name.slice(0, 100)}".`, {
    hint: 'List routes with GET /api/ai-router/routes.',
  });
}

const mustRoute = () =>
  new Fault('FORBIDDEN', 'Models cannot be named directly here.', {
    hint: 'Use a route as model, route:NAME, or set allowDirectModel with PUT /api/ai-router/settings.',
  });
