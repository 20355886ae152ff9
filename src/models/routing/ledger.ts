// The usage ledger: every call becomes a row, and counts against the budgets and the key that it used.
import { randomUUID } from 'node:crypto';
import { AICallPurpose } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Vault } from '../../kernel/vault.ts';
import { type BudgetDoc, type CallDoc, callSpec, providerKeySpec, sumsOfCall } from '../../ports/ai-router.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import type { BudgetUse } from '../../ports/model-router.ts';
import type { OrgUnits } from '../../ports/org-units.ts';
import type { CallRecord } from '../gateway/call-record.ts';
import { appliesTo, charge } from './budgets.ts';
import type { Caps } from './caps.ts';
import { monthOf } from './credentials.ts';
import type { Registries } from './registry.ts';

export interface LedgerDeps {
  db: Db;
  ids: Ids;
  clock: Clock;
  logger: Logger;
  vault: Vault;
  registries: Registries;
  caps: Caps;
  /** Says which organisation unit a call belongs to. */
  units: Pick<OrgUnits, 'pathOf'>;
  /** A call was recorded. */
  onRecorded?: (call: CallDoc) => void;
  /** A budget went over its warning mark, or is spent. */
  onBudget?: (budget: BudgetDoc, use: BudgetUse) => void;
}

export interface Ledger {
  /** Takes the record of a call that has ended; returns at once. */
  record(record: CallRecord): void;
  /** The row of the call that was made with this request object. */
  callOf(request: object): Promise<CallDoc>;
  /** Resolves when everything taken so far is in the database. */
  flush(): Promise<void>;
}

const day = 86_400_000;

const batchSize = 200;

/**
 * Rows are written in batches, in order. Each step of a batch is tried three times and, at last, logged with its
 * figures; a row that was written stays written once.
 */
export function createLedger(deps: LedgerDeps): Ledger {
  const { clock, logger } = deps;
  const rows = new WeakMap<object, PromiseWithResolvers<CallDoc>>();
  const rowOf = (request: object) => {
    let row = rows.get(request);
    if (!row) {
      row = withResolvers<CallDoc>();
      row.promise.catch(() => {});
      rows.set(request, row);
    }
    return row;
  };
  const queue: CallRecord[] = [];
  let draining: Promise<void> | null = null;

  const persist = async (batch: CallRecord[], step: (attempt: number) => Promise<void>): Promise<boolean> => {
    for (let attempt = 1; ; attempt++) {
      try {
        await step(attempt);
        return true;
      } catch (error) {
        if (attempt === 3) {
          logger.error({ err: error, calls: batch.map(figures) }, 'model calls could not be recorded');
          for (const { request } of batch) rowOf(request).reject(error);
          return false;
        }
        await clock.sleep(1_000 * attempt);
      }
    }
  };

  const drain = async (): Promise<void> => {
    // In this turn of the event loop, so that the row shares the commit of the turn that made the call.
    await Promise.resolve();
    while (queue.length > 0) {
      const batch = queue.splice(0, batchSize);
      const calls: CallDoc[] = [];
      const kept = await persist(batch, async (attempt) => {
        while (calls.length < batch.length) calls.push(await toCall(batch[calls.length] as CallRecord, deps));
        if (attempt === 1) await deps.db.collection(callSpec).insertMany(calls);
        else await insertMissing(deps.db, calls);
      });
      if (!kept) continue;
      for (const [at, call] of calls.entries()) {
        rowOf((batch[at] as CallRecord).request).resolve(call);
        deps.onRecorded?.(call);
      }
      for (const charging of await budgetCharges(deps, batch)) await persist(batch, charging);
      for (const charging of capCharges(deps, batch)) await persist(batch, charging);
      for (const charging of keyCharges(deps, batch)) await persist(batch, charging);
    }
    draining = null;
  };

  return {
    record(record) {
      queue.push(record);
      draining ??= drain();
    },
    callOf: (request) => rowOf(request).promise,
    async flush() {
      while (draining) await draining;
    },
  };
}

const figures = ({ request, modelId, usage, status }: CallRecord) => ({
  tenantId: request.tenantId,
  runId: request.runId,
  modelId,
  status,
  usage,
});

/** A try that failed half-way has written some of them. */
async function insertMissing(db: Db, calls: CallDoc[]): Promise<void> {
  const collection = db.collection(callSpec);
  const ids = calls.map(({ _id }) => _id);
  const there = new Set(
    (await collection.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id),
  );
  const missing = calls.filter(({ _id }) => !there.has(_id));
  if (missing.length > 0) await collection.insertMany(missing);
}

async function toCall(record: CallRecord, { ids, vault, registries, units }: LedgerDeps): Promise<CallDoc> {
  const { request, usage } = record;
  const { tenantId } = request;
  const { settings } = await registries.of(tenantId);
  const [unit] = await units.pathOf(request);
  const promptDays = settings.recordPrompts ? settings.promptRetentionDays : null;
  const purpose = AICallPurpose.safeParse(request.purpose);
  const seal = (value: unknown) => (promptDays === null ? null : vault.seal(tenantId, JSON.stringify(value)));
  const attempts = record.attempts.map((one) => ({
    attempt: one.attempt,
    providerId: one.providerId ?? 0,
    providerName: one.providerName,
    keyId: one.keyId ?? null,
    modelId: one.modelId,
    status: one.status,
    httpStatus: one.httpStatus,
    latencyMs: one.latencyMs,
    timeToFirstTokenMs: one.firstTokenMs,
    error: one.error,
    startedAt: new Date(one.startedAt),
  }));
  const times = { latencyMs: record.latencyMs, timeToFirstTokenMs: record.firstTokenMs };
  return {
    _id: await ids.next('ai_calls'),
    guid: randomUUID(),
    tenantId,
    purpose: purpose.success ? purpose.data : 'Chat',
    status: record.status,
    routeId: record.routeId ?? null,
    routeName: record.routeName ?? null,
    providerId: record.providerId ?? null,
    providerName: record.providerName,
    modelId: record.modelId,
    attemptCount: record.attempts.length,
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    cacheReadTokens: usage.cacheReadTokens,
    costUsd: usage.costUsd,
    ...times,
    finishReason: record.finishReason,
    errorCode: record.errorCode,
    identityId: request.identityId ?? null,
    userId: request.userId ?? null,
    runId: request.runId ?? null,
    chatSessionId: request.chatSessionId ?? null,
    projectId: request.projectId ?? null,
    orgUnitId: unit?.id ?? null,
    role: request.role ?? null,
    attempts,
    ...sumsOfCall({ attempts, ...times }),
    decisionJson: record.decision ? JSON.stringify(record.decision) : null,
    sealedRequest: seal({ messages: request.messages, tools: request.tools?.map(({ name }) => name) }),
    sealedResponse: seal({ received: record.received }),
    createdAt: new Date(record.startedAt),
    promptsUntil: promptDays === null ? null : new Date(record.startedAt + promptDays * day),
  };
}

/** One charge a budget for the whole batch. */
async function budgetCharges(deps: LedgerDeps, batch: CallRecord[]): Promise<(() => Promise<void>)[]> {
  const sums = new Map<BudgetDoc, { usd: number; tokens: number }>();
  for (const { usage, request, modelId, routeId, providerId } of batch) {
    const tokens = usage.promptTokens + usage.completionTokens;
    if (tokens === 0) continue;
    const { budgets } = await deps.registries.of(request.tenantId);
    const orgUnitIds = (await deps.units.pathOf(request)).map(({ id }) => id);
    for (const budget of budgets) {
      if (!appliesTo(budget, { ...request, orgUnitIds, modelId, routeId, providerId })) continue;
      const sum = sums.get(budget) ?? { usd: 0, tokens: 0 };
      sums.set(budget, { usd: sum.usd + usage.costUsd, tokens: sum.tokens + tokens });
    }
  }
  return [...sums].map(([budget, spent]) => async () => {
    const charged = await charge(deps, budget, spent);
    if (!charged) return;
    // The registry is a few seconds old by design; what this process spent must count at once.
    Object.assign(budget, charged.budget);
    const { before, after } = charged;
    if (after.state !== before.state && (after.state === 'Warning' || after.state === 'Exhausted')) {
      deps.onBudget?.(charged.budget, after);
    }
  });
}

/** One change a tenant for the whole batch. */
function capCharges({ caps }: LedgerDeps, batch: CallRecord[]): (() => Promise<void>)[] {
  const sums = new Map<number, number>();
  for (const { usage, request } of batch) sums.set(request.tenantId, (sums.get(request.tenantId) ?? 0) + usage.costUsd);
  return [...sums].map(
    ([tenantId, usd]) =>
      () =>
        caps.spend(tenantId, usd),
  );
}

/** Milliseconds that a key rests after its provider refused it, or said that it was used too much. */
const refusedRestMs = 5 * 60_000;
const limitedRestMs = 60_000;

/** One change a key for the whole batch. */
function keyCharges({ db, clock, registries }: LedgerDeps, batch: CallRecord[]): (() => Promise<void>)[] {
  const now = clock.now();
  const month = monthOf(now);
  const uses = new Map<number, { tenantId: number; usd: number; failures: number; restMs: number }>();
  for (const { request, attempts, keyId: lastKey, usage } of batch) {
    for (const { keyId, httpStatus, status } of attempts) {
      if (keyId === undefined) continue;
      const use = uses.get(keyId) ?? { tenantId: request.tenantId, usd: 0, failures: 0, restMs: 0 };
      if (status !== 'Succeeded' && status !== 'Cancelled') use.failures++;
      use.restMs = restOf(httpStatus, status);
      uses.set(keyId, use);
    }
    const paid = lastKey === undefined ? undefined : uses.get(lastKey);
    if (paid) paid.usd += usage.costUsd;
  }
  return [...uses].map(([_id, { tenantId, usd, failures, restMs }]) => async () => {
    const keys = db.collection(providerKeySpec);
    await keys.updateOne({ _id, tenantId, spentMonth: { $ne: month } }, { $set: { spentMonth: month, spentUsd: 0 } });
    const after = await keys.findOneAndUpdate(
      { _id, tenantId },
      {
        $set: { lastUsedAt: new Date(now), cooldownUntil: restMs > 0 ? new Date(now + restMs) : null },
        $inc: { spentUsd: usd, failureCount: failures },
      },
      { returnDocument: 'after' },
    );
    const known = after && (await registries.of(tenantId)).keys.get(after.providerId)?.find((key) => key._id === _id);
    if (known) Object.assign(known, after);
  });
}

function restOf(httpStatus: number | null, status: CallDoc['status']): number {
  if (httpStatus === 401 || httpStatus === 403) return refusedRestMs;
  return status === 'RateLimited' ? limitedRestMs : 0;
}

interface PromiseWithResolvers<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
}

/** As `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers<T>(): PromiseWithResolvers<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
