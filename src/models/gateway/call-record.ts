// What is kept of every call, successful or not: the usage ledger's entry.
import type { ModelRequest, ModelUsage } from '../../../runtime/model.ts';
import { Fault } from '../../kernel/fault.ts';
import { costUsd } from '../pricing/pricing.ts';
import { estimatePrompt, estimateTokens } from '../pricing/token-estimates.ts';
import type { Failure } from '../providers/failure.ts';
import type { CallPolicy } from '../providers/settings.ts';
import type { Plan, Target } from '../providers/target.ts';
import type { AttemptState } from './attempt.ts';

export type CallStatus = 'Succeeded' | 'Failed' | 'TimedOut' | 'Cancelled' | 'RateLimited' | 'Blocked';

export interface AttemptRecord {
  /** From 1. */
  attempt: number;
  providerKey: string;
  providerName: string;
  providerId?: number | undefined;
  keyId?: number | undefined;
  modelId: string;
  status: CallStatus;
  httpStatus: number | null;
  latencyMs: number;
  firstTokenMs: number | null;
  error: string | null;
  /** Milliseconds since 1970. */
  startedAt: number;
}

export interface CallRecord {
  request: ModelRequest;
  status: CallStatus;
  /** The model that answered, or was tried last. */
  modelId: string;
  routeId?: number | undefined;
  routeName?: string | undefined;
  /** JSON of the routing decision. */
  decision?: unknown;
  providerId?: number | undefined;
  providerName: string | null;
  keyId?: number | undefined;
  usage: ModelUsage;
  attempts: AttemptRecord[];
  finishReason: string | null;
  errorCode: string | null;
  latencyMs: number;
  firstTokenMs: number | null;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Text and reasoning received, joined. */
  received: string;
}

/** One call in flight: what was asked, what was planned, and what happened so far. */
export interface Call {
  request: ModelRequest;
  plan: Plan;
  policy: CallPolicy;
  startedAt: number;
  /** The same by the steady clock. */
  begun: number;
  attempts: AttemptRecord[];
  last: { target: Target; state: AttemptState } | null;
}

/** How a call or try ended, by what ended it: null for success. */
export function statusOf(outcome: unknown, signal: AbortSignal): CallStatus {
  if (outcome === null) return 'Succeeded';
  if (signal.aborted || outcome === leftEarly) return 'Cancelled';
  if (!(outcome instanceof Fault)) return 'Failed';
  switch (outcome.code) {
    case 'PROVIDER_TIMEOUT':
      return 'TimedOut';
    case 'RATE_LIMITED':
    case 'CONCURRENCY_LIMITED':
      return 'RateLimited';
    case 'BUDGET_EXCEEDED':
    case 'QUOTA_EXCEEDED':
      return 'Blocked';
    default:
      return 'Failed';
  }
}

/** Outcome of a call whose consumer stopped reading. */
export const leftEarly = Symbol('left early');

export function attemptRecord(
  target: Target,
  attempt: number,
  status: CallStatus,
  failure: Failure | null,
  timing: { startedAt: number; latencyMs: number; firstTokenMs: number | null },
): AttemptRecord {
  const { key, name, id, keyId } = target.provider;
  return {
    attempt,
    providerKey: key,
    providerName: name,
    providerId: id,
    keyId,
    modelId: target.modelId,
    status,
    httpStatus: failure?.httpStatus ?? null,
    error: failure?.message ?? null,
    ...timing,
  };
}

/** The ledger's entry of a call that has ended now, by the steady clock, with this outcome (null for success). */
export function toRecord(call: Call, outcome: unknown, now: number): CallRecord {
  const { request, plan, attempts, last, startedAt, begun } = call;
  const state = last?.state;
  return {
    request,
    status: statusOf(outcome, request.signal),
    modelId: last?.target.modelId ?? request.modelId,
    routeId: plan.routeId,
    routeName: plan.routeName,
    decision: plan.decision,
    providerId: last?.target.provider.id,
    providerName: last?.target.provider.name ?? null,
    keyId: last?.target.provider.keyId,
    usage: state?.usage ?? cutUsage(call),
    attempts,
    finishReason: state?.finishReason ?? null,
    errorCode: outcome instanceof Fault ? outcome.code : null,
    latencyMs: now - begun,
    firstTokenMs: state?.firstTokenAt == null ? null : state.firstTokenAt - begun,
    startedAt,
    received: state?.received.join('') ?? '',
  };
}

/** An answer that was cut has been paid for, too: the provider never said how much, so it is estimated. */
function cutUsage({ request, last }: Call): ModelUsage {
  const started = last && last.state.firstTokenAt !== null;
  const counts = {
    promptTokens: started ? estimatePrompt(request) : 0,
    completionTokens: started ? estimateTokens(last.state.received.join('')) : 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
  const price = last?.target.price ?? null;
  const cost = costUsd(price, counts);
  return { ...counts, reasoningTokens: 0, costUsd: cost, priced: price !== null, ...(started && { estimated: true }) };
}
