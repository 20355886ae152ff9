// Probes providers periodically: a dead one is found before a call needs it, a recovered one is used again.
import type { Clock } from '../../kernel/clock.ts';
import type { ProviderDoc } from '../../ports/ai-router.ts';
import type { Health } from '../gateway/health.ts';
import { readFailure, speaksAgainstProvider } from '../providers/failure.ts';
import { type Access, providerKeyOf, toConfig, usableKeys } from './credentials.ts';
import { type ListModels, listServerModels } from './list-models.ts';
import type { Registries, Registry } from './registry.ts';

interface ProbeDeps {
  registries: Registries;
  health: Health;
  access: Access;
  clock: Clock;
  random: () => number;
  listModels?: ListModels;
}

/**
 * One round over the tenants in use: each enabled provider that was neither called nor looked at for as long as the
 * tenant's `healthProbeSeconds` is asked for its models, which costs nothing. To be called every few seconds.
 */
export function createProbes(deps: ProbeDeps): () => Promise<void> {
  const { registries, health, access, clock, random, listModels = listServerModels } = deps;

  const probe = async (registry: Registry, provider: ProviderDoc): Promise<void> => {
    const key = providerKeyOf(provider);
    const [credential = null] = usableKeys(registry.keys.get(provider._id) ?? [], clock.now(), random);
    const config = toConfig(provider, credential, access);
    health.looked(key);
    try {
      await listModels(config);
      health.reset(key);
    } catch (error) {
      const target = { modelId: '', modelName: '', provider: config, price: null };
      const failure = readFailure(error, target, false, clock.now());
      const { settings } = registry;
      // A server that refuses the request is reachable.
      if (!speaksAgainstProvider(failure)) return;
      health.missing(key, failure.message, {
        circuitFailureThreshold: settings.circuitFailureThreshold,
        circuitOpenMs: settings.circuitOpenSeconds * 1000,
      });
    }
  };

  return async () => {
    const due = registries.inUse().flatMap((registry) => {
      const everyMs = registry.settings.healthProbeSeconds * 1000;
      if (everyMs === 0) return [];
      return [...registry.providers.values()]
        .filter(({ enabled, kind }) => enabled && kind !== 'Mock')
        .filter((provider) => clock.steady() - (health.lookedAt(providerKeyOf(provider)) ?? 0) >= everyMs)
        .map((provider) => probe(registry, provider));
    });
    await Promise.all(due);
  };
}
