// What the AI router keeps: providers with their keys, models, routes, budgets, recorded calls and settings.
import type {
  AIBudgetScope,
  AICallPurpose,
  AICallStatus,
  AIModelCapability,
  AIModelKind,
  AIProviderKind,
  AIRoutePolicy,
  BudgetAction,
  BudgetPeriod,
} from '../contract/enums.ts';
import { defineCollection } from './db.ts';
import { record } from './record.ts';
import { settingsRecord } from './settings.ts';
import type { Tenanted } from './tenanted.ts';

interface Kept extends Tenanted {
  _id: number;
  guid: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface ProviderDoc extends Kept {
  /** As shown; unique in the tenant, lower case in `nameKey`. */
  name: string;
  nameKey: string;
  kind: AIProviderKind;
  baseUrl: string | null;
  enabled: boolean;
  priority: number;
  timeoutMs: number;
  maxConcurrency: number;
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  /** Sealed JSON object of header name to value. */
  sealedHeaders: string | null;
  headerNames: string[];
}

/** What ids of models that were read from a provider begin with, before the colon. */
export const modelPrefix = ({ nameKey }: Pick<ProviderDoc, 'nameKey'>): string =>
  nameKey.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'provider';

export interface ProviderKeyDoc extends Kept {
  providerId: number;
  label: string;
  /** Sealed; only `last4` is ever shown. */
  sealedKey: string;
  last4: string;
  weight: number;
  enabled: boolean;
  monthlyLimitUsd: number | null;
  /** Of the month `spentMonth`, e.g. `2026-11`. */
  spentUsd: number;
  spentMonth: string;
  failureCount: number;
  cooldownUntil: Date | null;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
}

export interface ModelDoc extends Kept {
  providerId: number;
  /** What requests say; unique in the tenant, as are aliases. */
  modelId: string;
  /** The model's name at the provider. */
  providerModelName: string;
  displayName: string;
  kind: AIModelKind;
  contextWindow: number;
  maxOutputTokens: number | null;
  inputPricePerMTok: number;
  outputPricePerMTok: number;
  cachedInputPricePerMTok: number | null;
  /** The price was set, so 0 means free. Older documents lack this field: their 0 means unknown. */
  priceKnown?: boolean;
  capabilities: AIModelCapability[];
  embeddingDimensions: number | null;
  aliases: string[];
  tags: string[];
  enabled: boolean;
}

/** Whether the prices of a model are told; where not, they are 0. */
export const isPriced = ({ priceKnown, inputPricePerMTok, outputPricePerMTok }: ModelDoc): boolean =>
  priceKnown ?? (inputPricePerMTok > 0 || outputPricePerMTok > 0);

export interface RouteTargetDoc {
  aiModelId: number;
  priority: number;
  weight: number;
  enabled: boolean;
  maxConcurrency: number | null;
  temperature: number | null;
  maxOutputTokens: number | null;
  reasoningEffort: string | null;
}

export interface RouteDoc extends Kept {
  name: string;
  nameKey: string;
  description: string | null;
  kind: AIModelKind;
  policy: AIRoutePolicy;
  targets: RouteTargetDoc[];
  fallbackRouteId: number | null;
  matchRoles: string[];
  matchIdentityIds: number[];
  matchProjectIds: number[];
  requiredCapabilities: AIModelCapability[];
  isDefault: boolean;
  enabled: boolean;
  maxAttempts: number;
  timeoutMs: number;
  firstTokenTimeoutMs: number | null;
  maxCostPerCallUsd: number | null;
  stickySeconds: number;
}

export interface BudgetDoc extends Kept {
  name: string;
  scope: AIBudgetScope;
  scopeId: number | null;
  /** Name of a role or model, where the scope has no id. */
  scopeKey: string | null;
  period: BudgetPeriod;
  limitUsd: number | null;
  limitTokens: number | null;
  warnAtPercent: number;
  action: BudgetAction;
  downgradeRouteId: number | null;
  /** Of an organisation unit: what units below it spend counts too. Absent is yes. */
  includeDescendants?: boolean;
  enabled: boolean;
  /** Of the period that began at `periodStart`. */
  spentUsd: number;
  usedTokens: number;
  periodStart: Date;
}

export interface CallAttempt {
  attempt: number;
  providerId: number;
  providerName: string;
  keyId: number | null;
  modelId: string;
  status: AICallStatus;
  httpStatus: number | null;
  latencyMs: number;
  timeToFirstTokenMs: number | null;
  error: string | null;
  startedAt: Date;
}

export interface CallDoc extends Tenanted {
  _id: number;
  guid: string;
  purpose: AICallPurpose;
  status: AICallStatus;
  routeId: number | null;
  routeName: string | null;
  /** Null for providers of the environment. */
  providerId: number | null;
  providerName: string | null;
  modelId: string;
  attemptCount: number;
  promptTokens: number;
  completionTokens: number;
  cacheReadTokens: number;
  costUsd: number;
  latencyMs: number;
  timeToFirstTokenMs: number | null;
  finishReason: string | null;
  errorCode: string | null;
  identityId: number | null;
  userId: number | null;
  runId: number | null;
  chatSessionId: number | null;
  projectId: number | null;
  /** The organisation unit that the work belonged to then; absent in calls of earlier versions. */
  orgUnitId?: number | null;
  role: string | null;
  attempts: CallAttempt[];
  /** What usage adds up, in numbers: see `sumsOfCall`. */
  fallbacks: number;
  firstTokens: number;
  latencyFloor: number;
  decisionJson: string | null;
  /** Sealed JSON, only where the settings ask for it. */
  sealedRequest: string | null;
  sealedResponse: string | null;
  createdAt: Date;
  /** When request and response are to be forgotten. */
  promptsUntil: Date | null;
}

export interface RouterSettings {
  defaultChatRouteId: number | null;
  defaultRunRouteId: number | null;
  defaultEmbeddingRouteId: number | null;
  supervisorRouteId: number | null;
  summaryRouteId: number | null;
  circuitFailureThreshold: number;
  circuitOpenSeconds: number;
  healthProbeSeconds: number;
  defaultTimeoutMs: number;
  firstTokenTimeoutMs: number;
  maxAttempts: number;
  retryBackoffMs: number;
  recordPrompts: boolean;
  promptRetentionDays: number;
  cacheEnabled: boolean;
  cacheTtlSeconds: number;
  allowDirectModel: boolean;
}

export const defaultRouterSettings: RouterSettings = {
  defaultChatRouteId: null,
  defaultRunRouteId: null,
  defaultEmbeddingRouteId: null,
  supervisorRouteId: null,
  summaryRouteId: null,
  circuitFailureThreshold: 5,
  circuitOpenSeconds: 30,
  healthProbeSeconds: 60,
  defaultTimeoutMs: 600_000,
  firstTokenTimeoutMs: 180_000,
  maxAttempts: 3,
  retryBackoffMs: 500,
  recordPrompts: false,
  promptRetentionDays: 7,
  cacheEnabled: true,
  cacheTtlSeconds: 300,
  allowDirectModel: true,
};

export const providerRecord = record<ProviderDoc>('ai_providers', {
  noun: 'model provider',
  list: 'GET /api/ai-router/providers',
  order: 'priority',
  search: ['name'],
  uniqueName: true,
});
export const providerKeyRecord = record<ProviderKeyDoc>('ai_provider_keys', {
  noun: 'provider key',
  list: 'GET /api/ai-router/providers/{providerId}/keys',
  order: 'id',
  indexes: [{ keys: { tenantId: 1, providerId: 1 } }],
});
export const modelRecord = record<ModelDoc>('ai_models', {
  noun: 'model',
  list: 'GET /api/ai-router/models',
  order: 'modelId',
  unique: 'modelId',
  search: ['modelId', 'displayName'],
  indexes: [{ keys: { tenantId: 1, modelId: 1 }, unique: true }, { keys: { tenantId: 1, providerId: 1 } }],
});
export const routeRecord = record<RouteDoc>('ai_routes', {
  noun: 'route',
  list: 'GET /api/ai-router/routes',
  order: 'name',
  search: ['name'],
  uniqueName: true,
});
export const budgetRecord = record<BudgetDoc>('ai_budgets', {
  noun: 'budget',
  list: 'GET /api/ai-router/budgets',
  order: 'name',
  indexes: [{ keys: { tenantId: 1 } }],
});
export const { spec: providerSpec } = providerRecord;
export const { spec: providerKeySpec } = providerKeyRecord;
export const { spec: modelSpec } = modelRecord;
export const { spec: routeSpec } = routeRecord;
export const { spec: budgetSpec } = budgetRecord;

const perDay = { path: 'createdAt', ms: 86_400_000 };
const perHour = { path: 'createdAt', ms: 3_600_000 };
const whatAnswered = ['modelId', 'providerId', 'providerName', 'purpose'];
/** What usage adds up. */
const callSums = [
  'promptTokens',
  'completionTokens',
  'cacheReadTokens',
  'costUsd',
  'latencyMs',
  'timeToFirstTokenMs',
  'fallbacks',
  'firstTokens',
];
/** What a tenant with a monthly cap has spent in a month. */
export interface MonthSpendDoc {
  /** The tenant and the month, e.g. `1:2026-11`. */
  _id: string;
  tenantId: number;
  spentUsd: number;
}

export const monthSpendSpec = defineCollection<MonthSpendDoc>({ name: 'ai_month_spend' });

export const callSpec = defineCollection<CallDoc>({
  name: 'ai_calls',
  indexes: [
    { keys: { tenantId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, runId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, chatSessionId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, providerId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, modelId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, routeId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, identityId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, projectId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, orgUnitId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, purpose: 1, createdAt: 1 } },
    { keys: { tenantId: 1, status: 1, createdAt: 1 } },
    { keys: { tenantId: 1, costUsd: 1 } },
    { keys: { tenantId: 1, latencyMs: 1 } },
    // Latencies of a window, without their documents.
    { keys: { tenantId: 1, latencyMs: 1, createdAt: 1 } },
    { keys: { promptsUntil: 1 }, partialFilterExpression: { promptsUntil: { $gt: new Date(0) } } },
  ],
  rollups: [
    { per: perDay, by: ['tenantId', 'status'], sums: callSums },
    { per: perDay, by: ['tenantId', 'status', ...whatAnswered], sums: callSums },
    {
      per: perDay,
      by: [
        'tenantId',
        'status',
        ...whatAnswered,
        'routeId',
        'routeName',
        'identityId',
        'userId',
        'projectId',
        'orgUnitId',
        'role',
      ],
      sums: callSums,
    },
    { per: perDay, by: ['tenantId', 'latencyFloor'], sums: [] },
    { per: perDay, by: ['tenantId', 'latencyFloor', ...whatAnswered], sums: [] },
    { per: perHour, by: ['tenantId', 'status', ...whatAnswered], sums: callSums },
    { per: perHour, by: ['tenantId', 'latencyFloor'], sums: [] },
  ],
});

/** What a call adds to the sums of usage, and the class that its latency is counted in. */
export function sumsOfCall({
  attempts,
  latencyMs,
  timeToFirstTokenMs,
}: Pick<CallDoc, 'attempts' | 'latencyMs' | 'timeToFirstTokenMs'>): Pick<
  CallDoc,
  'fallbacks' | 'firstTokens' | 'latencyFloor'
> {
  return {
    fallbacks: new Set(attempts.map(({ modelId }) => modelId)).size > 1 ? 1 : 0,
    firstTokens: timeToFirstTokenMs === null ? 0 : 1,
    latencyFloor: Math.floor(latencyMs / latencyStep(latencyMs)) * latencyStep(latencyMs),
  };
}

/** How wide the class of a latency is: classes are a thirty-second of the power of two below it, and 1 ms at least. */
export const latencyStep = (ms: number): number => 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, ms))) - 5);
/** One document a tenant. */
export const routerSettings = settingsRecord('ai_router_settings', {
  noun: 'router settings',
  defaults: defaultRouterSettings,
});

export const aiRouterSpecs = [
  providerSpec,
  providerKeySpec,
  modelSpec,
  routeSpec,
  budgetSpec,
  callSpec,
  monthSpendSpec,
  routerSettings.spec,
] as const;
