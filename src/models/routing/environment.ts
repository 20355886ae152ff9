// What the environment's providers are and which models they list, remembered for a moment.
import { anyModel } from '../../../runtime/model.ts';
import type { AIProviderKind } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { EnvironmentProvider, HealthReport } from '../../ports/model-router.ts';
import type { ModelSettings } from '../providers/settings.ts';
import type { ProviderConfig } from '../providers/target.ts';
import { type ListModels, listServerModels } from './list-models.ts';
import type { Registry } from './registry.ts';
import { configuredProviders } from './settings-directory.ts';

/** Milliseconds that a list holds, and that a provider may take to say it. */
const freshMs = 60_000;
const patienceMs = 3_000;

export type Environment = ReturnType<typeof createEnvironment>;

interface EnvironmentDeps {
  settings: ModelSettings;
  clock: Clock;
  /** Health of a provider or of one of its models, for one tenant. */
  healthOf: (key: string, tenantId: number, modelName?: string) => HealthReport;
  listModels?: ListModels;
}

/** Providers of the settings. One that cannot be reached has no models. */
export function createEnvironment({ settings, clock, healthOf, listModels = listServerModels }: EnvironmentDeps) {
  const providers = configuredProviders(settings);
  const since = new Date(clock.now());
  const lists = new Map<string, { readAt: number; names: Promise<string[]> }>();

  const namesOf = (provider: ProviderConfig): Promise<string[]> => {
    const known = lists.get(provider.key);
    if (known && clock.steady() - known.readAt < freshMs) return known.names;
    const asked = listModels(provider).catch(() => []);
    const late = clock.sleep(patienceMs).then((): string[] => []);
    const names = Promise.race([asked, late]);
    lists.set(provider.key, { readAt: clock.steady(), names });
    // A list that came late is still the list.
    void asked.then((found) => lists.set(provider.key, { readAt: clock.steady(), names: Promise.resolve(found) }));
    return names;
  };

  return {
    has: (key: string): boolean => providers.has(key),
    /** All providers with the ids of their models, `provider:model`. */
    list: (tenantId: number): Promise<EnvironmentProvider[]> =>
      Promise.all(
        [...providers.values()].map(async (provider) => {
          const names = await namesOf(provider);
          return {
            key: provider.key,
            name: provider.name,
            kind: kindOf(provider),
            baseUrl: provider.baseUrl ?? null,
            hasKey: provider.apiKey !== undefined,
            modelIds: names.map((name) => `${provider.key}:${name}`),
            modelHealth: names.map((name) => healthOf(provider.key, tenantId, name).healthState),
            health: healthOf(provider.key, tenantId),
            since,
          };
        }),
      ),
  };
}

function kindOf({ key, kind }: ProviderConfig): AIProviderKind {
  switch (kind) {
    case 'openai':
      return 'OpenAi';
    case 'openai-compatible':
      return key === 'ollama' ? 'Ollama' : 'OpenAiCompatible';
    case 'anthropic':
      return 'Anthropic';
    case 'google':
      return 'Google';
    case 'scripted':
      return 'Mock';
  }
}

/**
 * The model id behind a name that somebody calls: `auto`, a route, a model or alias of the catalogue, or one of the
 * environment.
 */
export async function standsFor(
  registry: Registry,
  environment: Environment,
  name: string,
  tenantId: number,
): Promise<string | null> {
  if (name === anyModel || registry.modelsByName.has(name)) return name;
  const route = /^route:(.+)$/s.exec(name)?.[1];
  if (route !== undefined) {
    const found = [...registry.routes.values()].some(
      (one) => one.nameKey === route.toLowerCase() || String(one._id) === route,
    );
    return found ? name : null;
  }
  const colon = name.indexOf(':');
  if (colon > 0 && colon < name.length - 1 && environment.has(name.slice(0, colon))) return name;
  // Clients that know one server only leave its name out.
  const ids = (await environment.list(tenantId)).flatMap(({ modelIds }) => modelIds);
  return ids.find((id) => id.slice(id.indexOf(':') + 1) === name) ?? null;
}
