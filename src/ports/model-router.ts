// What the AI router's operations need of the gateway: decisions, health, and the ledger's entry of a call.
import type {
  AIHealthState,
  AIModelCapability,
  AIModelKind,
  AIProviderKind,
  AIRoutePolicy,
  BudgetState,
  CircuitState,
} from '../contract/enums.ts';
import type { BudgetDoc, CallDoc, ProviderDoc } from './ai-router.ts';

/** What a call would be, as far as routes and budgets look at it. */
export interface RouteQuery {
  modelId?: string | null | undefined;
  routeId?: number | null | undefined;
  role?: string | null | undefined;
  identityId?: number | null | undefined;
  projectId?: number | null | undefined;
  userId?: number | null | undefined;
  kind?: AIModelKind | undefined;
  purpose?: string | undefined;
  capabilities?: readonly AIModelCapability[] | undefined;
  promptTokens?: number | undefined;
  maxOutputTokens?: number | undefined;
  excludeProviderIds?: readonly number[] | undefined;
  /** What a route sticks by: calls with the same text stay with their model for a while. */
  stickyKey?: string | undefined;
}

export interface RouteCandidate {
  rank: number;
  aiModelId: number;
  modelId: string;
  providerId: number;
  providerName: string;
  routeId: number | null;
  eligible: boolean;
  rejectedReason: string | null;
  /** The higher the better, within one decision. */
  score: number;
  estimatedCostUsd: number | null;
  latencyP50Ms: number | null;
  errorRate: number;
  healthState: AIHealthState;
  inFlight: number;
}

export interface RouteDecision {
  routeId: number | null;
  routeName: string | null;
  policy: AIRoutePolicy | null;
  /** `model`, `route`, `role`, `identity`, `project`, `settings`, `default` or `environment`. */
  matchedBy: string;
  chosen: RouteCandidate | null;
  candidates: RouteCandidate[];
  budgetState: BudgetState;
  warnings: string[];
}

export interface HealthReport {
  healthState: AIHealthState;
  circuitState: CircuitState;
  calls: number;
  failures: number;
  /** 0 to 1. */
  errorRate: number;
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
  timeToFirstTokenP50Ms: number | null;
  tokensPerSecond: number | null;
  inFlight: number;
  circuitOpenUntil: Date | null;
  lastError: string | null;
  lastSuccessAt: Date | null;
  lastCheckedAt: Date | null;
}

/** What is known of a model from its name alone; prices in US dollars for a million tokens. */
export interface KnownModel {
  kind: AIModelKind;
  /** 0 when nothing is known. */
  contextWindow: number;
  maxOutputTokens: number | null;
  inputPricePerMTok: number;
  outputPricePerMTok: number;
  cachedInputPricePerMTok: number | null;
  /** False when the prices are 0 because nobody knows them. */
  priceKnown: boolean;
  capabilities: AIModelCapability[];
}

export interface Embeddings {
  vectors: number[][];
  modelId: string;
  providerName: string;
  promptTokens: number;
  costUsd: number;
  latencyMs: number;
}

export interface EmbeddingRequest {
  tenantId: number;
  /** As in a model request; `auto` for the default embedding route. */
  modelId: string;
  inputs: readonly string[];
  /** Of the vectors, where the model can choose. */
  dimensions?: number;
  /** What a client sends besides, e.g. `input_type`: for providers that read the same words. */
  asWritten?: Record<string, unknown>;
  identityId?: number;
  userId?: number;
  signal: AbortSignal;
}

/** A provider of the environment; nothing of it is in the database. */
export interface EnvironmentProvider {
  /** Prefix of its model ids. */
  key: string;
  name: string;
  kind: AIProviderKind;
  baseUrl: string | null;
  hasKey: boolean;
  /** `provider:model`. */
  modelIds: string[];
  /** How each of these models is doing, in their order. */
  modelHealth: AIHealthState[];
  health: HealthReport;
  /** When it was set up. */
  since: Date;
}

/** How full a budget is in the period that holds now. */
export interface BudgetUse {
  spentUsd: number;
  usedTokens: number;
  /** 0 to 100 and above; of the limit that is fuller. */
  percent: number;
  state: BudgetState;
  periodStart: Date;
  /** Null for a lifetime. */
  periodEnd: Date | null;
}

export interface ModelRouter {
  /** What a request would get now, without calling anything. */
  resolve(tenantId: number, query: RouteQuery): Promise<RouteDecision>;
  /** Health of a provider, or of one model there (by its name at the provider), over the last `windowMs`. */
  health(provider: Pick<ProviderDoc, '_id'>, modelName: string | null, windowMs?: number): HealthReport;
  /** Closes the circuit of a provider. */
  resetCircuit(provider: Pick<ProviderDoc, '_id'>): void;
  /** Names of the models that the provider itself lists. Throws a Fault when it cannot be reached. */
  listModels(provider: ProviderDoc): Promise<string[]>;
  /** List price, limits and capabilities of a model, as far as its name tells them. */
  known(provider: Pick<ProviderDoc, 'kind'>, modelName: string): KnownModel;
  /** How full a budget is now. */
  budgetUse(budget: BudgetDoc): BudgetUse;
  /** Providers, keys, models, routes, budgets or settings of the tenant were changed: read them anew. */
  changed(tenantId: number): void;
  /** The ledger's entry of the call that was made with exactly this request object, once it has ended. */
  callOf(request: object): Promise<CallDoc>;
  /** Embeds texts, in their order, by a model of the catalogue or of the environment. */
  embed(request: EmbeddingRequest): Promise<Embeddings>;
  /** The model id that a name stands for: itself, an alias, a route, a model of the environment; null for nothing known. */
  stands(tenantId: number, name: string): Promise<string | null>;
  /** The route of the model that looks at escalations before people do, where the tenant has one. */
  supervisorRoute(tenantId: number): Promise<number | null>;
  /** Providers that the environment configures; those that cannot be reached have no models. */
  environment(tenantId: number): Promise<EnvironmentProvider[]>;
}
