// The model gateway: providers, keys, models, routes, health and usage. Interim: until the contracts declare these operations.
import type {
  AICallPurpose,
  AICallStatus,
  AIHealthState,
  AIModelCapability,
  AIModelKind,
  AIProviderKind,
  AIRoutePolicy,
  AIUsageGroupBy,
  BudgetState,
  CircuitState,
  TimeBucket,
} from '../../../client/index.ts';

export interface AIProviderDto {
  id: number;
  guid: string;
  name: string;
  kind: AIProviderKind;
  baseUrl: string | null;
  enabled: boolean;
  priority: number;
  hasCredentials: boolean;
  keyCount: number;
  modelCount: number;
  timeoutMs: number;
  maxConcurrency: number;
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  headerNames: string[];
  healthState: AIHealthState;
  inFlight: number;
  lastCheckedAtUtc: string | null;
  lastError: string | null;
  createdAtUtc: string;
  updatedAtUtc: string;
}

export interface AIProviderKeyDto {
  id: number;
  guid: string;
  providerId: number;
  label: string;
  last4: string;
  weight: number;
  enabled: boolean;
  monthlyLimitUsd: number | null;
  spentThisMonthUsd: number;
  failureCount: number;
  cooldownUntilUtc: string | null;
  lastUsedAtUtc: string | null;
  expiresAtUtc: string | null;
  createdAtUtc: string;
}

export interface AIProviderTestDto {
  providerId: number;
  ok: boolean;
  modelId: string | null;
  httpStatus: number | null;
  latencyMs: number;
  timeToFirstTokenMs: number | null;
  reply: string | null;
  modelCount: number | null;
  error: string | null;
  errorCode: string | null;
  testedAtUtc: string;
}

export interface AIModelSyncDto {
  providerId: number;
  added: string[];
  updated: string[];
  disabled: string[];
  unchangedCount: number;
  dryRun: boolean;
  syncedAtUtc: string;
}

export interface AIModelDto {
  id: number;
  guid: string;
  providerId: number;
  providerName: string;
  modelId: string;
  providerModelName: string;
  displayName: string;
  kind: AIModelKind;
  contextWindow: number;
  maxOutputTokens: number | null;
  inputPricePerMTok: number;
  outputPricePerMTok: number;
  cachedInputPricePerMTok: number | null;
  capabilities: AIModelCapability[];
  embeddingDimensions: number | null;
  aliases: string[];
  tags: string[];
  enabled: boolean;
  healthState: AIHealthState;
  createdAtUtc: string;
  updatedAtUtc: string;
}

export interface AIRouteDto {
  id: number;
  guid: string;
  name: string;
  description: string | null;
  kind: AIModelKind;
  policy: AIRoutePolicy;
  targets: AIRouteTarget[];
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
  createdAtUtc: string;
  updatedAtUtc: string;
}

export interface AIRouteTarget {
  aiModelId: number;
  modelId: string | null;
  providerName: string | null;
  priority: number;
  weight: number;
  enabled: boolean;
  maxConcurrency: number | null;
  temperature: number | null;
  maxOutputTokens: number | null;
  reasoningEffort: string | null;
}

export interface AIRouteCandidate {
  rank: number;
  aiModelId: number;
  modelId: string;
  providerId: number;
  providerName: string;
  routeId: number | null;
  eligible: boolean;
  rejectedReason: string | null;
  score: number;
  estimatedCostUsd: number | null;
  latencyP50Ms: number | null;
  errorRate: number;
  healthState: AIHealthState;
  inFlight: number;
}

export interface AIRouteDecisionDto {
  routeId: number | null;
  routeName: string | null;
  policy: AIRoutePolicy | null;
  matchedBy: string;
  chosen: AIRouteCandidate | null;
  candidates: AIRouteCandidate[];
  budgetState: BudgetState;
  warnings: string[];
}

export interface AIProviderHealthDto {
  providerId: number;
  providerName: string;
  modelId: string | null;
  healthState: AIHealthState;
  circuitState: CircuitState;
  windowMinutes: number;
  calls: number;
  failures: number;
  errorRate: number;
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
  timeToFirstTokenP50Ms: number | null;
  tokensPerSecond: number | null;
  inFlight: number;
  circuitOpenUntilUtc: string | null;
  lastError: string | null;
  lastSuccessAtUtc: string | null;
  lastCheckedAtUtc: string | null;
}

export interface AIUsageSummaryDto {
  fromUtc: string;
  toUtc: string;
  groupBy: AIUsageGroupBy;
  totalCalls: number;
  failedCalls: number;
  fallbackCalls: number;
  promptTokens: number;
  completionTokens: number;
  cacheReadTokens: number;
  costUsd: number;
  avgLatencyMs: number;
  latencyP95Ms: number;
  avgTimeToFirstTokenMs: number | null;
  rows: AIUsageRow[];
}

export interface AIUsageRow {
  key: string;
  label: string;
  calls: number;
  failedCalls: number;
  promptTokens: number;
  completionTokens: number;
  cacheReadTokens: number;
  costUsd: number;
  avgLatencyMs: number;
  errorRate: number;
}

export interface AIUsageTimeseriesDto {
  fromUtc: string;
  toUtc: string;
  bucket: TimeBucket;
  points: AIUsagePoint[];
}

export interface AIUsagePoint {
  bucketStartUtc: string;
  series: string | null;
  calls: number;
  failedCalls: number;
  promptTokens: number;
  completionTokens: number;
  costUsd: number;
  avgLatencyMs: number;
  avgTimeToFirstTokenMs: number | null;
}

export interface AICallDto {
  id: number;
  guid: string;
  purpose: AICallPurpose;
  status: AICallStatus;
  routeId: number | null;
  routeName: string | null;
  providerId: number | null;
  providerName: string | null;
  modelId: string;
  attemptCount: number;
  isStreaming: boolean;
  isCached: boolean;
  promptTokens: number;
  completionTokens: number;
  cacheReadTokens: number;
  costUsd: number;
  latencyMs: number;
  timeToFirstTokenMs: number | null;
  finishReason: string | null;
  errorCode: string | null;
  identityId: number | null;
  identityName: string | null;
  userId: number | null;
  runId: number | null;
  chatSessionId: number | null;
  projectId: number | null;
  createdAtUtc: string;
}
