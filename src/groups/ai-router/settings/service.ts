// Keeps the router's settings: one document a tenant.
import { implement } from '../../../contract/operation.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { defaultRouterSettings, type RouterSettings } from '../../../ports/ai-router.ts';
import type { ModelRouter } from '../../../ports/model-router.ts';
import type { AiRouterStore } from '../store.ts';
import { aiSettings } from './contract.ts';

export interface SettingsDeps {
  store: AiRouterStore;
  router: ModelRouter;
  clock: Clock;
}

export const aiSettingsService = implement(aiSettings, ({ store, router, clock }: SettingsDeps) => ({
  get: async ({ caller: { tenantId } }) => {
    const kept = await store.settings(tenantId).findOne({ _id: tenantId });
    return toDto(kept ?? defaultRouterSettings, kept?.updatedAt ?? null);
  },
  replace: async ({ caller: { tenantId }, body }) => {
    const settings: RouterSettings = {
      ...body,
      defaultChatRouteId: body.defaultChatRouteId ?? null,
      defaultRunRouteId: body.defaultRunRouteId ?? null,
      defaultEmbeddingRouteId: body.defaultEmbeddingRouteId ?? null,
      supervisorRouteId: body.supervisorRouteId ?? null,
      summaryRouteId: body.summaryRouteId ?? null,
    };
    for (const routeId of routesOf(settings)) await store.routes.get({ tenantId }, routeId);
    const updatedAt = new Date(clock.now());
    await store
      .settings(tenantId)
      .replaceOne({ _id: tenantId }, { _id: tenantId, tenantId, ...settings, updatedAt }, { upsert: true });
    router.changed(tenantId);
    return toDto(settings, updatedAt);
  },
}));

const routesOf = (settings: RouterSettings): number[] =>
  [
    settings.defaultChatRouteId,
    settings.defaultRunRouteId,
    settings.defaultEmbeddingRouteId,
    settings.supervisorRouteId,
    settings.summaryRouteId,
  ].filter((id) => id !== null);

/** Field by field: the document has more than the answer may show. */
const toDto = (settings: RouterSettings, updatedAt: Date | null) => ({
  defaultChatRouteId: settings.defaultChatRouteId,
  defaultRunRouteId: settings.defaultRunRouteId,
  defaultEmbeddingRouteId: settings.defaultEmbeddingRouteId,
  supervisorRouteId: settings.supervisorRouteId,
  summaryRouteId: settings.summaryRouteId,
  circuitFailureThreshold: settings.circuitFailureThreshold,
  circuitOpenSeconds: settings.circuitOpenSeconds,
  healthProbeSeconds: settings.healthProbeSeconds,
  defaultTimeoutMs: settings.defaultTimeoutMs,
  firstTokenTimeoutMs: settings.firstTokenTimeoutMs,
  maxAttempts: settings.maxAttempts,
  retryBackoffMs: settings.retryBackoffMs,
  recordPrompts: settings.recordPrompts,
  promptRetentionDays: settings.promptRetentionDays,
  cacheEnabled: settings.cacheEnabled,
  cacheTtlSeconds: settings.cacheTtlSeconds,
  allowDirectModel: settings.allowDirectModel,
  updatedAtUtc: updatedAt?.toISOString() ?? null,
});
