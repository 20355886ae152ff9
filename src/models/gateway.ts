// The model gateway: every model call of the server goes through here, with retry, failover, circuit breaker and cost.
import type { Model, ModelEvent, ModelRequest, ModelUsage } from '../../runtime/model.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Logger } from '../kernel/logger.ts';
import { type AttemptState, estimatePrompt, newAttemptState, runAttempt } from './attempt.ts';
import type { AttemptRecord, CallRecord, CallStatus } from './call-record.ts';
import { type Failure, isFailoverable, isRetryable, readFailure, speaksAgainstProvider } from './failure.ts';
import { createHealth, type Health } from './health.ts';
import { familyLimits } from './limits.ts';
import { costUsd, estimateTokens, worstCaseUsd } from './pricing.ts';
import type { OpenCall } from './providers.ts';
import { type CallPolicy, defaultPolicy } from './settings.ts';
import type { ModelDirectory, Plan, Target } from './target.ts';

export interface GatewayDeps {
  directory: ModelDirectory;
  open: OpenCall;
  clock: Clock;
  logger: Logger;
  /** Read at every call, so that settings can change while the server runs. */
  policy?: () => CallPolicy;
  /** Uniform in [0, 1); jitter of retries. */
  random?: () => number;
  health?: Health;
  /** Called once for every call, however it ended. Must not throw. */
  onCall?: (record: CallRecord) => void;
}

export interface Gateway extends Model {
  readonly health: Health;
}

/** One call on its way: what was asked, what was planned, and what happened so far. */
interface Call {
  request: ModelRequest;
  plan: Plan;
  policy: CallPolicy;
  startedAt: number;
  attempts: AttemptRecord[];
  last: { target: Target; state: AttemptState } | null;
}

/**
 * Builds the gateway over a directory of targets. See `createModels` for one from the environment's settings.
 *
 * Before the first token a failed try is repeated or the next target takes over, with a `retry` event each; after it
 * the failure is the caller's to see. Leaving the iteration or aborting the signal closes the provider's connection.
 */
export function createGateway(deps: GatewayDeps): Gateway {
  const { directory, clock, logger, random = Math.random } = deps;
  const policy = deps.policy ?? (() => defaultPolicy);
  const health = deps.health ?? createHealth(clock, policy);

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    request.signal.throwIfAborted();
    const startedAt = clock.now();
    const call: Call = { request, plan: { targets: [] }, policy: policy(), startedAt, attempts: [], last: null };
    let outcome: unknown = 'left';
    try {
      call.plan = await directory.plan(request);
      yield* tryTargets(call);
      outcome = null;
    } catch (error) {
      outcome = error;
      throw error;
    } finally {
      const record = toRecord(call, outcome, clock.now());
      logCall(logger, record);
      deps.onCall?.(record);
    }
  }

  async function* tryTargets(call: Call): AsyncGenerator<ModelEvent> {
    const { targets } = call.plan;
    let failure: Failure | null = null;
    for (const [index, target] of targets.entries()) {
      const isLast = index === targets.length - 1;
      const tries = call.plan.maxAttempts ?? call.policy.maxAttempts;
      for (let attempt = 1; attempt <= tries; attempt++) {
        if (!health.admit(target.provider.key)) {
          failure ??= circuitOpen(target, health.openUntil(target.provider.key), clock.now());
          break;
        }
        const failed: Failure | null = yield* once(call, target);
        if (!failed) return;
        failure = failed;
        if (!isFailoverable(failed)) throw failed.fault;
        const wait = attempt < tries ? retryDelay(failed, attempt, isLast, call.policy, random) : null;
        if (wait === null) break;
        yield { type: 'retry', modelId: target.modelId, attempt, delayMs: wait, reason: failed.message };
        await clock.sleep(wait, call.request.signal);
      }
      const next = targets[index + 1];
      if (failure && next) {
        yield { type: 'retry', modelId: next.modelId, attempt: 1, delayMs: 0, reason: failure.message };
      }
    }
    throw failure?.fault ?? new Fault('NO_ROUTE_AVAILABLE', 'No model can take this call.');
  }

  /** One try; the failure when it ended before the first token, null when it succeeded. Throws otherwise. */
  async function* once(call: Call, target: Target): AsyncGenerator<ModelEvent, Failure | null> {
    const { request, plan, policy: limits } = call;
    const state = newAttemptState();
    const startedAt = clock.now();
    const keys = healthKeys(target);
    call.last = { target, state };
    health.begin(keys);
    let settled = false;
    const sample = () => ({
      latencyMs: clock.now() - startedAt,
      firstTokenMs: state.firstTokenAt === null ? null : state.firstTokenAt - startedAt,
      completionTokens: state.usage?.completionTokens ?? 0,
    });
    const note = (status: CallStatus, failure: Failure | null) => {
      settled = true;
      call.attempts.push(attemptRecord(target, call.attempts.length + 1, startedAt, status, failure, sample()));
    };
    try {
      yield* runAttempt(target, request, state, {
        open: deps.open,
        clock,
        firstTokenTimeoutMs: plan.firstTokenTimeoutMs ?? limits.firstTokenTimeoutMs,
        idleTimeoutMs: limits.idleTimeoutMs,
        timeoutMs: plan.timeoutMs,
      });
      health.succeed(keys[0], keys[1], sample());
      note('Succeeded', null);
      return null;
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      const started = state.firstTokenAt !== null;
      const failure = readFailure(error, target, started, clock.now());
      health.fail(keys[0], keys[1], sample(), failure.message, speaksAgainstProvider(failure));
      note(statusOf(failure.fault), failure);
      if (started) throw failure.fault;
      return failure;
    } finally {
      health.end(keys);
      if (!settled) {
        health.abandon(keys[0]);
        note('Cancelled', null);
      }
    }
  }

  return {
    stream,
    health,
    estimateCost: (modelId, promptTokens, completionTokens) =>
      worstCaseUsd(directory.facts(modelId)?.price ?? null, promptTokens, completionTokens),
    limits(modelId) {
      const { contextTokens, maxOutputTokens } = directory.facts(modelId) ?? familyLimits(modelId);
      return { contextTokens, maxOutputTokens };
    },
    defaultModelId: () => directory.defaultModelId(),
  };
}

export const healthKeys = ({ provider, modelName }: Target): [string, string] => [
  provider.key,
  `${provider.key}/${modelName}`,
];

/** Milliseconds until the same target is asked again; null to go on without it. */
function retryDelay(
  failure: Failure,
  attempt: number,
  isLast: boolean,
  policy: CallPolicy,
  random: () => number,
): number | null {
  if (!isRetryable(failure)) return null;
  // A long silence has cost enough: somebody else, if there is anybody.
  if (failure.kind === 'timeout' && !isLast) return null;
  const backoff = policy.backoffMs * 2 ** (attempt - 1) * (0.5 + random());
  const wait = Math.max(failure.retryAfterMs ?? 0, backoff);
  const patience = isLast ? policy.maxBackoffMs : policy.backoffMs * 4;
  return wait <= patience ? Math.round(wait) : null;
}

function circuitOpen(target: Target, openUntil: number | null, now: number): Failure {
  const waitMs = Math.max(0, (openUntil ?? now + 1_000) - now);
  const message = `${target.provider.name} has failed several times in a row and is left alone for now.`;
  const fault = new Fault('NO_ROUTE_AVAILABLE', message, {
    hint: 'Wait, add a fallback model, or reset it with POST /api/ai-router/providers/{id}/reset-circuit.',
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
  return { kind: 'unavailable', message, httpStatus: null, retryAfterMs: waitMs, fault };
}

function statusOf(error: unknown): CallStatus {
  if (!(error instanceof Fault)) return 'Cancelled';
  switch (error.code) {
    case 'PROVIDER_TIMEOUT':
      return 'TimedOut';
    case 'RATE_LIMITED':
    case 'CONCURRENCY_LIMITED':
      return 'RateLimited';
    case 'BUDGET_EXCEEDED':
      return 'Blocked';
    default:
      return 'Failed';
  }
}

function attemptRecord(
  target: Target,
  attempt: number,
  startedAt: number,
  status: CallStatus,
  failure: Failure | null,
  { latencyMs, firstTokenMs }: { latencyMs: number; firstTokenMs: number | null },
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
    latencyMs,
    firstTokenMs,
    error: failure?.message ?? null,
    startedAt,
  };
}

function toRecord(call: Call, outcome: unknown, now: number): CallRecord {
  const { request, plan, attempts, last, startedAt } = call;
  const { tenantId, purpose, runId, identityId, modelId } = request;
  const state = last?.state;
  return {
    request: { tenantId, purpose, modelId, ...(runId && { runId }), ...(identityId && { identityId }) },
    status: outcome === null ? 'Succeeded' : statusOf(outcome),
    modelId: last?.target.modelId ?? modelId,
    routeId: plan.routeId,
    routeName: plan.routeName,
    decision: plan.decision,
    providerId: last?.target.provider.id,
    providerName: last?.target.provider.name ?? null,
    usage: state?.usage ?? cutUsage(call),
    attempts,
    finishReason: state?.finishReason ?? null,
    errorCode: outcome instanceof Fault ? outcome.code : null,
    latencyMs: now - startedAt,
    firstTokenMs: state?.firstTokenAt == null ? null : state.firstTokenAt - startedAt,
    startedAt,
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
  return { ...counts, reasoningTokens: 0, costUsd: costUsd(price, counts), priced: price !== null, estimated: true };
}

function logCall(
  logger: Logger,
  { request, status, modelId, usage, latencyMs, firstTokenMs, errorCode, attempts }: CallRecord,
) {
  const { tenantId, purpose, runId } = request;
  const { promptTokens, completionTokens, costUsd: cost } = usage;
  const failed = status !== 'Succeeded' && status !== 'Cancelled';
  logger[failed ? 'warn' : 'debug'](
    {
      tenantId,
      purpose,
      runId,
      modelId,
      status,
      errorCode,
      attempts: attempts.length,
      latencyMs,
      firstTokenMs,
      promptTokens,
      completionTokens,
      costUsd: cost,
      error: attempts.at(-1)?.error,
    },
    'model call',
  );
}
