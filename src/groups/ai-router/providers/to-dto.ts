// Providers, keys and health as they are answered: keys masked.
import type { Clock } from '../../../kernel/clock.ts';
import type { ProviderDoc, ProviderKeyDoc } from '../../../ports/ai-router.ts';
import type { HealthReport } from '../../../ports/model-router.ts';
import { shown } from '../../../ports/shown.ts';
import { AIProviderDto, type AIProviderHealthDto, AIProviderKeyDto } from '../dto.ts';

const iso = (date: Date | null) => date?.toISOString() ?? null;

export interface Counts {
  keys: number;
  models: number;
}

export function toProviderDto(provider: ProviderDoc, health: HealthReport, counts: Counts): AIProviderDto {
  return shown(AIProviderDto, provider, {
    hasCredentials: counts.keys > 0,
    keyCount: counts.keys,
    modelCount: counts.models,
    healthState: provider.enabled ? health.healthState : 'Disabled',
    source: 'Tenant',
    inFlight: health.inFlight,
    lastCheckedAtUtc: iso(health.lastCheckedAt),
    lastError: health.lastError,
  });
}

export function toKeyDto(key: ProviderKeyDoc, clock: Clock): AIProviderKeyDto {
  const month = new Date(clock.now()).toISOString().slice(0, 7);
  return shown(AIProviderKeyDto, key, { spentThisMonthUsd: key.spentMonth === month ? key.spentUsd : 0 });
}

export function toHealthDto(
  provider: ProviderDoc,
  modelId: string | null,
  health: HealthReport,
  windowMinutes: number,
): AIProviderHealthDto {
  return {
    providerId: provider._id,
    providerName: provider.name,
    modelId,
    healthState: provider.enabled ? health.healthState : 'Disabled',
    circuitState: health.circuitState,
    windowMinutes,
    calls: health.calls,
    failures: health.failures,
    errorRate: health.errorRate,
    latencyP50Ms: health.latencyP50Ms,
    latencyP95Ms: health.latencyP95Ms,
    timeToFirstTokenP50Ms: health.timeToFirstTokenP50Ms,
    tokensPerSecond: health.tokensPerSecond,
    inFlight: health.inFlight,
    circuitOpenUntilUtc: iso(health.circuitOpenUntil),
    lastError: health.lastError,
    lastSuccessAtUtc: iso(health.lastSuccessAt),
    lastCheckedAtUtc: iso(health.lastCheckedAt),
  };
}
