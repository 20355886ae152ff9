// Providers, models and routes of a tenant on an embedded store, with fake model servers: for tests of routing.
import { randomUUID } from 'node:crypto';
import { silentLogger } from '../../src/kernel/logger.ts';
import { SimulatedClock } from '../../src/kernel/simulated-clock.ts';
import { createVault } from '../../src/kernel/vault.ts';
import { createRoutedModels } from '../../src/models/routing/router.ts';
import {
  aiRouterSpecs,
  type BudgetDoc,
  budgetSpec,
  type CallDoc,
  type ModelDoc,
  modelSpec,
  type ProviderDoc,
  type ProviderKeyDoc,
  providerKeySpec,
  providerSpec,
  type RouteDoc,
  type RouteTargetDoc,
  routeSpec,
} from '../../src/ports/ai-router.ts';
import type { CollectionSpec, Entity } from '../../src/ports/db.ts';
import type { BudgetUse } from '../../src/ports/model-router.ts';
import { createIds } from '../../src/stores/ids.ts';
import { openWorldDb } from './embedded-db.ts';
import { startFakeServer } from './openai-server.ts';

export const tenantId = 1;

export async function createRouterWorld() {
  const clock = new SimulatedClock();
  const { db, close } = await openWorldDb(clock, aiRouterSpecs);
  const ids = createIds({ db });
  const vault = createVault({ secret: 'a secret of more than thirty-two characters' });
  const [one, two] = await Promise.all([startFakeServer(), startFakeServer()]);
  const recorded: CallDoc[] = [];
  const budgetEvents: { budget: BudgetDoc; use: BudgetUse }[] = [];
  const routed = createRoutedModels({
    db,
    ids,
    clock,
    logger: silentLogger,
    vault,
    reachOf: (id) => (id === tenantId ? 'private' : 'public'),
    settings: { model: 'scripted:echo' },
    random: () => 0.5,
    onRecorded: (call) => recorded.push(call),
    onBudget: (budget, use) => budgetEvents.push({ budget, use }),
  });

  const add = async <T extends Entity>(spec: CollectionSpec<T>, fields: object): Promise<T> => {
    const now = new Date(clock.now());
    const doc = {
      _id: await ids.next(spec.name),
      guid: randomUUID(),
      tenantId,
      createdAt: now,
      updatedAt: now,
      ...fields,
    };
    await db.collection(spec).insertOne(doc as unknown as T);
    routed.router.changed(tenantId);
    return doc as unknown as T;
  };

  return {
    ...routed,
    clock,
    db,
    ids,
    vault,
    one,
    two,
    recorded,
    budgetEvents,
    addProvider: (name: string, baseUrl: string | null, more: Partial<ProviderDoc> = {}) =>
      add(providerSpec, {
        name,
        nameKey: name.toLowerCase(),
        kind: 'OpenAiCompatible',
        baseUrl,
        enabled: true,
        priority: 0,
        timeoutMs: 60_000,
        maxConcurrency: 0,
        requestsPerMinute: null,
        tokensPerMinute: null,
        sealedHeaders: null,
        headerNames: [],
        ...more,
      }),
    addKey: (provider: ProviderDoc, apiKey: string, more: Partial<ProviderKeyDoc> = {}) =>
      add(providerKeySpec, {
        providerId: provider._id,
        label: apiKey.slice(0, 4),
        sealedKey: vault.seal(tenantId, apiKey),
        last4: apiKey.slice(-4),
        weight: 1,
        enabled: true,
        monthlyLimitUsd: null,
        spentUsd: 0,
        spentMonth: '',
        failureCount: 0,
        cooldownUntil: null,
        lastUsedAt: null,
        expiresAt: null,
        ...more,
      }),
    addModel: (provider: ProviderDoc, modelId: string, more: Partial<ModelDoc> = {}) =>
      add(modelSpec, {
        providerId: provider._id,
        modelId,
        providerModelName: modelId.replace(/^.*:/, ''),
        displayName: modelId,
        kind: 'Chat',
        contextWindow: 100_000,
        maxOutputTokens: 4_000,
        inputPricePerMTok: 1,
        outputPricePerMTok: 2,
        cachedInputPricePerMTok: null,
        capabilities: ['Streaming', 'Tools'],
        embeddingDimensions: null,
        aliases: [],
        tags: [],
        enabled: true,
        ...more,
      }),
    addRoute: (
      name: string,
      models: (ModelDoc | [ModelDoc, Partial<RouteTargetDoc>])[],
      more: Partial<RouteDoc> = {},
    ) =>
      add(routeSpec, {
        name,
        nameKey: name.toLowerCase(),
        description: null,
        kind: 'Chat',
        policy: 'Priority',
        targets: models.map((entry, at) => {
          const [model, fields] = Array.isArray(entry) ? entry : [entry, {}];
          return {
            aiModelId: model._id,
            priority: at,
            weight: 1,
            enabled: true,
            maxConcurrency: null,
            temperature: null,
            maxOutputTokens: null,
            reasoningEffort: null,
            ...fields,
          };
        }),
        fallbackRouteId: null,
        matchRoles: [],
        matchIdentityIds: [],
        matchProjectIds: [],
        requiredCapabilities: [],
        isDefault: false,
        enabled: true,
        maxAttempts: 2,
        timeoutMs: 60_000,
        firstTokenTimeoutMs: null,
        maxCostPerCallUsd: null,
        stickySeconds: 0,
        ...more,
      }),
    addBudget: (name: string, more: Partial<BudgetDoc> = {}) =>
      add(budgetSpec, {
        name,
        scope: 'Tenant',
        scopeId: null,
        scopeKey: null,
        period: 'Month',
        limitUsd: null,
        limitTokens: null,
        warnAtPercent: 80,
        action: 'Block',
        downgradeRouteId: null,
        enabled: true,
        spentUsd: 0,
        usedTokens: 0,
        periodStart: new Date(0),
        ...more,
      }),
    close: async () => {
      await routed.flush();
      await Promise.all([one.close(), two.close(), close()]);
    },
  };
}
export type RouterWorld = Awaited<ReturnType<typeof createRouterWorld>>;
