// What the AI router answers: providers, models, routes, decisions, budgets, usage and calls.
import { z } from 'zod';
import {
  AIBudgetScope,
  AICallPurpose,
  AICallStatus,
  AIHealthState,
  AIModelCapability,
  AIModelKind,
  AIProviderKind,
  AIRoutePolicy,
  AIUsageGroupBy,
  BudgetAction,
  BudgetPeriod,
  BudgetState,
  CircuitState,
  TimeBucket,
} from '../../contract/enums.ts';
import { boolean, dateTime, double, dto, float, int32, int64, string, uuid } from '../../contract/types.ts';

export const AIProviderDto = dto('AIProviderDto', {
  id: int64,
  guid: uuid,
  name: string,
  kind: AIProviderKind,
  baseUrl: string.nullable(),
  enabled: boolean,
  priority: int32,
  hasCredentials: boolean,
  keyCount: int32,
  modelCount: int32,
  timeoutMs: int32,
  maxConcurrency: int32,
  requestsPerMinute: int32.nullable(),
  tokensPerMinute: int32.nullable(),
  headerNames: z.array(string),
  healthState: AIHealthState,
  /** What the environment variables set up has an id below zero, and cannot be changed. */
  source: z.enum(['Tenant', 'Environment']),
  inFlight: int32,
  lastCheckedAtUtc: dateTime.nullable(),
  lastError: string.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type AIProviderDto = z.output<typeof AIProviderDto>;

export const AIProviderKeyDto = dto('AIProviderKeyDto', {
  id: int64,
  guid: uuid,
  providerId: int64,
  label: string,
  last4: string,
  weight: int32,
  enabled: boolean,
  monthlyLimitUsd: double.nullable(),
  spentThisMonthUsd: double,
  failureCount: int32,
  cooldownUntilUtc: dateTime.nullable(),
  lastUsedAtUtc: dateTime.nullable(),
  expiresAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
});
export type AIProviderKeyDto = z.output<typeof AIProviderKeyDto>;

export const AIProviderTestDto = dto('AIProviderTestDto', {
  providerId: int64,
  ok: boolean,
  modelId: string.nullable(),
  httpStatus: int32.nullable(),
  latencyMs: int32,
  timeToFirstTokenMs: int32.nullable(),
  reply: string.nullable(),
  modelCount: int32.nullable(),
  error: string.nullable(),
  errorCode: string.nullable(),
  testedAtUtc: dateTime,
});
export type AIProviderTestDto = z.output<typeof AIProviderTestDto>;

export const AIModelSyncDto = dto('AIModelSyncDto', {
  providerId: int64,
  added: z.array(string),
  updated: z.array(string),
  disabled: z.array(string),
  unchangedCount: int32,
  dryRun: boolean,
  syncedAtUtc: dateTime,
});
export type AIModelSyncDto = z.output<typeof AIModelSyncDto>;

export const AIProviderHealthDto = dto('AIProviderHealthDto', {
  providerId: int64,
  providerName: string,
  modelId: string.nullable(),
  healthState: AIHealthState,
  circuitState: CircuitState,
  windowMinutes: int32,
  calls: int32,
  failures: int32,
  errorRate: double,
  latencyP50Ms: double.nullable(),
  latencyP95Ms: double.nullable(),
  timeToFirstTokenP50Ms: double.nullable(),
  tokensPerSecond: double.nullable(),
  inFlight: int32,
  circuitOpenUntilUtc: dateTime.nullable(),
  lastError: string.nullable(),
  lastSuccessAtUtc: dateTime.nullable(),
  lastCheckedAtUtc: dateTime.nullable(),
});
export type AIProviderHealthDto = z.output<typeof AIProviderHealthDto>;

export const AIModelDto = dto('AIModelDto', {
  id: int64,
  guid: uuid,
  providerId: int64,
  providerName: string,
  modelId: string,
  providerModelName: string,
  displayName: string,
  kind: AIModelKind,
  contextWindow: int32,
  maxOutputTokens: int32.nullable(),
  inputPricePerMTok: double,
  outputPricePerMTok: double,
  cachedInputPricePerMTok: double.nullable(),
  priceKnown: boolean, // Ours: only of a known price 0 is free.
  capabilities: z.array(AIModelCapability),
  embeddingDimensions: int32.nullable(),
  aliases: z.array(string),
  tags: z.array(string),
  enabled: boolean,
  healthState: AIHealthState,
  source: z.enum(['Tenant', 'Environment']),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type AIModelDto = z.output<typeof AIModelDto>;

export const AIRouteTarget = dto('AIRouteTarget', {
  aiModelId: int64,
  modelId: string.nullable(),
  providerName: string.nullable(),
  priority: int32,
  weight: int32,
  enabled: boolean,
  maxConcurrency: int32.nullable(),
  temperature: float.nullable(),
  maxOutputTokens: int32.nullable(),
  reasoningEffort: string.nullable(),
});

export const AIRouteDto = dto('AIRouteDto', {
  id: int64,
  guid: uuid,
  name: string,
  description: string.nullable(),
  kind: AIModelKind,
  policy: AIRoutePolicy,
  targets: z.array(AIRouteTarget),
  fallbackRouteId: int64.nullable(),
  matchRoles: z.array(string),
  matchIdentityIds: z.array(int64),
  matchProjectIds: z.array(int64),
  requiredCapabilities: z.array(AIModelCapability),
  isDefault: boolean,
  enabled: boolean,
  maxAttempts: int32,
  timeoutMs: int32,
  firstTokenTimeoutMs: int32.nullable(),
  maxCostPerCallUsd: double.nullable(),
  stickySeconds: int32,
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type AIRouteDto = z.output<typeof AIRouteDto>;

export const AIRouteCandidate = dto('AIRouteCandidate', {
  rank: int32,
  aiModelId: int64,
  modelId: string,
  providerId: int64,
  providerName: string,
  routeId: int64.nullable(),
  eligible: boolean,
  rejectedReason: string.nullable(),
  score: double,
  estimatedCostUsd: double.nullable(),
  latencyP50Ms: double.nullable(),
  errorRate: double,
  healthState: AIHealthState,
  inFlight: int32,
});
export type AIRouteCandidate = z.output<typeof AIRouteCandidate>;

export const AIRouteDecisionDto = dto('AIRouteDecisionDto', {
  routeId: int64.nullable(),
  routeName: string.nullable(),
  policy: AIRoutePolicy.nullable(),
  matchedBy: string,
  chosen: AIRouteCandidate.nullable(),
  candidates: z.array(AIRouteCandidate),
  budgetState: BudgetState,
  warnings: z.array(string),
});
export type AIRouteDecisionDto = z.output<typeof AIRouteDecisionDto>;

export const AIBudgetDto = dto('AIBudgetDto', {
  id: int64,
  guid: uuid,
  name: string,
  scope: AIBudgetScope,
  scopeId: int64.nullable(),
  scopeKey: string.nullable(),
  scopeName: string.nullable(),
  period: BudgetPeriod,
  limitUsd: double.nullable(),
  limitTokens: int64.nullable(),
  warnAtPercent: int32,
  action: BudgetAction,
  downgradeRouteId: int64.nullable(),
  enabled: boolean,
  spentUsd: double,
  usedTokens: int64,
  percentUsed: double,
  state: BudgetState,
  periodStartUtc: dateTime,
  periodEndUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type AIBudgetDto = z.output<typeof AIBudgetDto>;

export const AIUsageRow = dto('AIUsageRow', {
  key: string,
  label: string,
  calls: int64,
  failedCalls: int64,
  promptTokens: int64,
  completionTokens: int64,
  cacheReadTokens: int64,
  costUsd: double,
  avgLatencyMs: double,
  errorRate: double,
});
export type AIUsageRow = z.output<typeof AIUsageRow>;

export const AIUsageSummaryDto = dto('AIUsageSummaryDto', {
  fromUtc: dateTime,
  toUtc: dateTime,
  groupBy: AIUsageGroupBy,
  totalCalls: int64,
  failedCalls: int64,
  fallbackCalls: int64,
  promptTokens: int64,
  completionTokens: int64,
  cacheReadTokens: int64,
  costUsd: double,
  avgLatencyMs: double,
  latencyP95Ms: double,
  avgTimeToFirstTokenMs: double.nullable(),
  rows: z.array(AIUsageRow),
});
export type AIUsageSummaryDto = z.output<typeof AIUsageSummaryDto>;

export const AIUsagePoint = dto('AIUsagePoint', {
  bucketStartUtc: dateTime,
  series: string.nullable(),
  calls: int64,
  failedCalls: int64,
  promptTokens: int64,
  completionTokens: int64,
  costUsd: double,
  avgLatencyMs: double,
  avgTimeToFirstTokenMs: double.nullable(),
});
export type AIUsagePoint = z.output<typeof AIUsagePoint>;

export const AIUsageTimeseriesDto = dto('AIUsageTimeseriesDto', {
  fromUtc: dateTime,
  toUtc: dateTime,
  bucket: TimeBucket,
  points: z.array(AIUsagePoint),
});
export type AIUsageTimeseriesDto = z.output<typeof AIUsageTimeseriesDto>;

export const AICallDto = dto('AICallDto', {
  id: int64,
  guid: uuid,
  purpose: AICallPurpose,
  status: AICallStatus,
  routeId: int64.nullable(),
  routeName: string.nullable(),
  providerId: int64.nullable(),
  providerName: string.nullable(),
  modelId: string,
  attemptCount: int32,
  isStreaming: boolean,
  isCached: boolean,
  promptTokens: int32,
  completionTokens: int32,
  cacheReadTokens: int32,
  costUsd: double,
  latencyMs: int32,
  timeToFirstTokenMs: int32.nullable(),
  finishReason: string.nullable(),
  errorCode: string.nullable(),
  identityId: int64.nullable(),
  identityName: string.nullable(),
  userId: int64.nullable(),
  runId: int64.nullable(),
  chatSessionId: int64.nullable(),
  projectId: int64.nullable(),
  createdAtUtc: dateTime,
});
export type AICallDto = z.output<typeof AICallDto>;

export const AICallAttemptDto = dto('AICallAttemptDto', {
  attempt: int32,
  providerId: int64,
  providerName: string,
  keyId: int64.nullable(),
  modelId: string,
  status: AICallStatus,
  httpStatus: int32.nullable(),
  latencyMs: int32,
  timeToFirstTokenMs: int32.nullable(),
  error: string.nullable(),
  startedAtUtc: dateTime,
});
export type AICallAttemptDto = z.output<typeof AICallAttemptDto>;

export const AICallDetailDto = dto('AICallDetailDto', {
  ...AICallDto.shape,
  attempts: z.array(AICallAttemptDto),
  decision: AIRouteDecisionDto.nullable(),
  requestJson: string.nullable(),
  responseJson: string.nullable(),
});
export type AICallDetailDto = z.output<typeof AICallDetailDto>;

export const AIRouterSettingsDto = dto('AIRouterSettingsDto', {
  defaultChatRouteId: int64.nullable(),
  defaultRunRouteId: int64.nullable(),
  defaultEmbeddingRouteId: int64.nullable(),
  supervisorRouteId: int64.nullable(),
  summaryRouteId: int64.nullable(),
  circuitFailureThreshold: int32,
  circuitOpenSeconds: int32,
  healthProbeSeconds: int32,
  defaultTimeoutMs: int32,
  firstTokenTimeoutMs: int32,
  maxAttempts: int32,
  retryBackoffMs: int32,
  recordPrompts: boolean,
  promptRetentionDays: int32,
  cacheEnabled: boolean,
  cacheTtlSeconds: int32,
  allowDirectModel: boolean,
  updatedAtUtc: dateTime.nullable(),
});
export type AIRouterSettingsDto = z.output<typeof AIRouterSettingsDto>;

export const AIPlaygroundResultDto = dto('AIPlaygroundResultDto', {
  callId: int64.nullable(),
  modelId: string,
  providerName: string.nullable(),
  routeId: int64.nullable(),
  content: string,
  reasoningContent: string.nullable(),
  toolCalls: z.array(z.unknown()).nullable(),
  finishReason: string.nullable(),
  promptTokens: int32,
  completionTokens: int32,
  costUsd: double,
  latencyMs: int32,
  timeToFirstTokenMs: int32.nullable(),
  error: string.nullable(),
  errorCode: string.nullable(),
});
export type AIPlaygroundResultDto = z.output<typeof AIPlaygroundResultDto>;

export const AIEmbeddingSimilarity = dto('AIEmbeddingSimilarity', {
  indexA: int32,
  indexB: int32,
  cosine: double,
});
export type AIEmbeddingSimilarity = z.output<typeof AIEmbeddingSimilarity>;

export const AIEmbeddingTestDto = dto('AIEmbeddingTestDto', {
  modelId: string,
  providerName: string.nullable(),
  dimensions: int32,
  promptTokens: int32,
  costUsd: double,
  latencyMs: int32,
  similarity: z.array(AIEmbeddingSimilarity),
});
export type AIEmbeddingTestDto = z.output<typeof AIEmbeddingTestDto>;
