// The model gateway: every model call of the server goes through here, with retry, failover, circuit breaker and cost.
import type { Model, ModelEvent, ModelRequest } from '../../../runtime/model.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/logger.ts';
import { worstCaseUsd } from '../pricing/pricing.ts';
import { estimatePrompt } from '../pricing/token-estimates.ts';
import { type Failure, isFailoverable, isRetryable, readFailure, speaksAgainstProvider } from '../providers/failure.ts';
import { familyLimits } from '../providers/limits.ts';
import { type CallPolicy, defaultPolicy } from '../providers/settings.ts';
import type { ModelDirectory, OpenCall, Target } from '../providers/target.ts';
import { type Attempt, newAttemptState, runAttempt } from './attempt.ts';
import {
  attemptRecord,
  type Call,
  type CallRecord,
  type CallStatus,
  leftEarly,
  statusOf,
  toRecord,
} from './call-record.ts';
import { type Embedded, type EmbeddingOptions, embedAttempt } from './embeddings.ts';
import { createHealth, type Health } from './health.ts';
import { createLimiter, type Limiter, type Permit } from './limiter.ts';

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
  limiter?: Limiter;
  /** Called once for every call, however it ended. Must not throw. */
  onCall?: (record: CallRecord) => void;
}

export interface Gateway extends Model {
  readonly health: Health;
  /** Embeds texts: routed, limited, tried and recorded as every call. Throws as `stream` does. */
  embed(request: ModelRequest, inputs: readonly string[], options?: EmbeddingOptions): Promise<Embedded>;
}

type Resources = Required<Omit<GatewayDeps, 'onCall' | 'policy'>>;

/**
 * Builds the gateway over a directory of targets. See `createModels` for one from the environment's settings.
 *
 * Before the first token a failed try is repeated or the next target takes over, with a `retry` event each; after it
 * the failure is the caller's to see. Leaving the iteration or aborting the signal closes the provider's connection.
 */
export function createGateway(deps: GatewayDeps): Gateway {
  const { directory, clock, logger, onCall, policy = () => defaultPolicy } = deps;
  const health = deps.health ?? createHealth(clock);
  const limiter = deps.limiter ?? createLimiter(clock);
  const resources: Resources = { random: Math.random, ...deps, health, limiter };

  async function* carryOut(request: ModelRequest, attempt: Attempt): AsyncGenerator<ModelEvent> {
    request.signal.throwIfAborted();
    const startedAt = clock.now();
    const begun = clock.steady();
    const call: Call = { request, plan: { targets: [] }, policy: policy(), startedAt, begun, attempts: [], last: null };
    let outcome: unknown = leftEarly;
    try {
      call.plan = await directory.plan(request);
      call.policy = { ...call.policy, ...call.plan.policy };
      yield* tryTargets(resources, call, attempt);
      outcome = null;
    } catch (error) {
      outcome = error;
      throw error;
    } finally {
      // A consumer that stops reading at `finish` has the whole answer.
      if (outcome === leftEarly && call.attempts.at(-1)?.status === 'Succeeded') outcome = null;
      const record = toRecord(call, outcome, clock.steady());
      logCall(logger, record);
      onCall?.(record);
    }
  }

  return {
    stream: (request) => carryOut(request, runAttempt),
    async embed(request, inputs, options = {}) {
      let embedded: Embedded | null = null;
      const attempt = embedAttempt(inputs, options, (result) => {
        embedded = result;
      });
      for await (const _ of carryOut(request, attempt));
      return embedded as unknown as Embedded;
    },
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

async function* tryTargets(resources: Resources, call: Call, attempt: Attempt): AsyncGenerator<ModelEvent> {
  const { health, clock } = resources;
  const { targets } = call.plan;
  let failure: Failure | null = null;
  // A retryable failure of one target is reported before a final failure of another: the caller may repeat the call.
  let hopeful: Failure | null = null;
  for (const [index, target] of targets.entries()) {
    const next = targets[index + 1];
    const tries = call.request.repeats === false ? 1 : call.policy.maxAttempts;
    for (let turn = 1; turn <= tries; turn++) {
      const [provider] = healthKeys(target, call.request.tenantId);
      if (!health.admit(provider)) {
        failure ??= circuitOpen(target, health.opensIn(provider) ?? 1_000);
        break;
      }
      failure = yield* tryOnce(resources, call, target, { attempt, isLast: !next });
      if (!failure) return;
      if (!isFailoverable(failure)) throw failure.fault;
      if (isRetryable(failure)) hopeful = failure;
      const wait = turn < tries ? retryDelay(failure, turn, !next, call.policy, resources.random) : null;
      if (wait === null) break;
      yield { type: 'retry', modelId: target.modelId, attempt: turn, delayMs: wait, reason: failure.message };
      await clock.sleep(wait, call.request.signal);
    }
    if (failure && next) {
      yield { type: 'retry', modelId: next.modelId, attempt: 1, delayMs: 0, reason: failure.message };
    }
  }
  throw (hopeful ?? failure)?.fault ?? new Fault('NO_ROUTE_AVAILABLE', 'No model can take this call.');
}

/** One try; the failure when it ended before the first token, null when it succeeded. Throws otherwise. */
async function* tryOnce(
  { health, clock, open, limiter }: Resources,
  call: Call,
  target: Target,
  { attempt, isLast }: { attempt: Attempt; isLast: boolean },
): AsyncGenerator<ModelEvent, Failure | null> {
  const { request, plan, policy } = call;
  const { firstTokenTimeoutMs, idleTimeoutMs, maxBackoffMs } = policy;
  const state = newAttemptState();
  const startedAt = clock.now();
  const begun = clock.steady();
  const keys = healthKeys(target, request.tenantId);
  call.last = { target, state };
  let settled = false;
  const timing = () => ({
    startedAt,
    latencyMs: clock.steady() - begun,
    firstTokenMs: state.firstTokenAt === null ? null : state.firstTokenAt - begun,
  });
  const note = (status: CallStatus, failure: Failure | null) => {
    settled = true;
    call.attempts.push(attemptRecord(target, call.attempts.length + 1, status, failure, timing()));
  };
  const succeed = () => {
    health.succeed(keys, { ...timing(), completionTokens: state.usage?.completionTokens ?? 0 });
    note('Succeeded', null);
  };
  let permit: Permit | null = null;
  health.begin(keys);
  try {
    // Where a fallback can take over there is no point in queueing.
    permit = await limiter.acquire(target, expectedTokens(target, request), isLast ? maxBackoffMs : 0, request.signal);
    const sent = plan.promptCache === false ? withoutCache(request) : request;
    yield* attempt(target, sent, state, {
      open,
      clock,
      firstTokenTimeoutMs,
      idleTimeoutMs,
      timeoutMs: plan.timeoutMs,
    });
    succeed();
    return null;
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason;
    const started = state.firstTokenAt !== null;
    const failure = readFailure(error, target, started, clock.now());
    if (speaksAgainstProvider(failure))
      health.fail(keys, { ...timing(), completionTokens: 0 }, failure.message, policy, askerOf(request));
    else {
      const unwell = refusedBy(failure, keys);
      if (unwell.length > 0) health.reject(unwell, { ...timing(), completionTokens: 0 }, failure.message);
      health.abandon(keys[0]);
    }
    note(statusOf(failure.fault, request.signal), failure);
    if (started) throw failure.fault;
    return failure;
  } finally {
    health.end(keys);
    permit?.release(state.usage ? state.usage.promptTokens + state.usage.completionTokens : 0);
    if (!settled && state.finishReason !== null) succeed();
    else if (!settled) {
      health.abandon(keys[0]);
      note('Cancelled', null);
    }
  }
}

/** Health key for a failure that every request would meet: a refused key, no credit, a missing model. */
function refusedBy({ kind }: Failure, keys: [string, string]): string[] {
  if (kind === 'credentials' || kind === 'no-credit') return keys;
  return kind === 'not-found' ? [keys[1]] : [];
}

/** The run or chat that asks; null for single calls. */
function askerOf({ runId, chatSessionId }: ModelRequest): string | null {
  if (runId !== undefined) return `run:${runId}`;
  return chatSessionId === undefined ? null : `chat:${chatSessionId}`;
}

function withoutCache({ cacheKey: _, ...request }: ModelRequest): ModelRequest {
  return request;
}

/** Tokens that a call is expected to take; 0 for providers without a limit of tokens. */
const expectedTokens = ({ provider }: Target, request: ModelRequest): number =>
  provider.limits?.tokensPerMinute ? estimatePrompt(request) + (request.maxOutputTokens ?? 1_000) : 0;

/** Keys of a target in the health table: its provider, and its model there. */
function healthKeys({ provider, modelName }: Target, tenantId: number): [string, string] {
  const key = provider.id === undefined ? sharedKey(provider.key, tenantId) : provider.key;
  return [key, `${key}/${modelName}`];
}

/**
 * Health key of a provider that several tenants use. Each tenant has a circuit of its own: an outage that one tenant
 * sees must not keep the others from calling.
 */
export const sharedKey = (key: string, tenantId: number) => `${key}@${tenantId}`;

/** Milliseconds until the same target is asked again; null to go on without it. */
function retryDelay(
  failure: Failure,
  attempt: number,
  isLast: boolean,
  { backoffMs, maxBackoffMs }: CallPolicy,
  random: () => number,
): number | null {
  if (!isRetryable(failure)) return null;
  // A call that timed out is not repeated at the same target: the next target is tried, if there is one.
  if (failure.kind === 'timeout' && !isLast) return null;
  const backoff = backoffMs * 2 ** (attempt - 1) * (0.5 + random());
  const wait = Math.max(failure.retryAfterMs ?? 0, backoff);
  return wait <= (isLast ? maxBackoffMs : backoffMs * 4) ? Math.round(wait) : null;
}

function circuitOpen(target: Target, opensInMs: number): Failure {
  const waitMs = Math.max(0, opensInMs);
  const message = `${target.provider.name} has failed several times in a row and is left alone for now.`;
  const fault = new Fault('NO_ROUTE_AVAILABLE', message, {
    hint: resetHint(target),
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
  return { kind: 'unavailable', message, httpStatus: null, retryAfterMs: waitMs, fault };
}

/** A provider of the environment has no id by which an operation could name it. */
const resetHint = ({ provider: { id } }: Target) =>
  id === undefined
    ? 'Wait, or add a fallback model.'
    : `Wait, add a fallback model, or reset it with POST /api/ai-router/providers/${id}/reset-circuit.`;

function logCall(logger: Logger, record: CallRecord): void {
  const { status, modelId, usage, latencyMs, firstTokenMs, errorCode, attempts } = record;
  const { tenantId, purpose, runId } = record.request;
  const { promptTokens, completionTokens, costUsd } = usage;
  const failed = status !== 'Succeeded' && status !== 'Cancelled';
  const who = { tenantId, purpose, runId, modelId, status, errorCode, attempts: attempts.length };
  const what = { latencyMs, firstTokenMs, promptTokens, completionTokens, costUsd, error: attempts.at(-1)?.error };
  logger[failed ? 'warn' : 'debug']({ ...who, ...what }, 'model call');
}
