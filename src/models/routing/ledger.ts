// The usage ledger: every call becomes a row, and counts against the budgets and the key that it used.
import { randomUUID } from 'node:crypto';
import { AICallPurpose } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Vault } from '../../kernel/vault.ts';
import { type BudgetDoc, type CallDoc, callSpec, providerKeySpec } from '../../ports/ai-router.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import type { CallRecord } from '../call-record.ts';
import { appliesTo, type BudgetUse, charge } from './budgets.ts';
import { monthOf } from './credentials.ts';
import type { Registries } from './registry.ts';

export interface LedgerDeps {
  db: Db;
  ids: Ids;
  clock: Clock;
  logger: Logger;
  vault: Vault;
  registries: Registries;
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

/** Rows are written one after the other, in order; what fails is tried again and, at last, logged with its figures. */
export function createLedger(deps: LedgerDeps): Ledger {
  const { db, clock, logger, registries } = deps;
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
  let last: Promise<unknown> = Promise.resolve();

  const write = async (record: CallRecord): Promise<void> => {
    const { settings, budgets } = await registries.of(record.request.tenantId);
    const call = await toCall(record, settings.recordPrompts ? settings.promptRetentionDays : null, deps);
    await db.collection(callSpec).insertOne(call);
    rowOf(record.request).resolve(call);
    deps.onRecorded?.(call);
    await chargeBudgets(deps, record, budgets);
    await chargeKeys(db, record, clock.now());
  };

  return {
    record(record) {
      last = last.then(async () => {
        for (let attempt = 1; ; attempt++) {
          try {
            return await write(record);
          } catch (error) {
            if (attempt < 3) {
              await clock.sleep(1_000 * attempt);
              continue;
            }
            rowOf(record.request).reject(error);
            logger.error({ err: error, ...figures(record) }, 'a model call could not be recorded');
            return;
          }
        }
      });
    },
    callOf: (request) => rowOf(request).promise,
    flush: async () => void (await last),
  };
}

const figures = ({ request, modelId, usage, status }: CallRecord) => ({
  tenantId: request.tenantId,
  runId: request.runId,
  modelId,
  status,
  usage,
});

async function toCall(record: CallRecord, promptDays: number | null, { ids, vault }: LedgerDeps): Promise<CallDoc> {
  const { request, usage } = record;
  const { tenantId } = request;
  const purpose = AICallPurpose.safeParse(request.purpose);
  const seal = (value: unknown) => (promptDays === null ? null : vault.seal(tenantId, JSON.stringify(value)));
  return {
    _id: await ids.next('aiCalls'),
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
    latencyMs: record.latencyMs,
    timeToFirstTokenMs: record.firstTokenMs,
    finishReason: record.finishReason,
    errorCode: record.errorCode,
    identityId: request.identityId ?? null,
    userId: request.userId ?? null,
    runId: request.runId ?? null,
    chatSessionId: request.chatSessionId ?? null,
    projectId: request.projectId ?? null,
    role: request.role ?? null,
    attempts: record.attempts.map((one) => ({
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
    })),
    decisionJson: record.decision ? JSON.stringify(record.decision) : null,
    sealedRequest: seal({ messages: request.messages, tools: request.tools?.map(({ name }) => name) }),
    sealedResponse: seal({ received: record.received }),
    createdAt: new Date(record.startedAt),
    promptsUntil: promptDays === null ? null : new Date(record.startedAt + promptDays * day),
  };
}

async function chargeBudgets(deps: LedgerDeps, record: CallRecord, budgets: BudgetDoc[]): Promise<void> {
  const { usage, request, modelId, routeId, providerId } = record;
  const spent = { usd: usage.costUsd, tokens: usage.promptTokens + usage.completionTokens };
  if (spent.tokens === 0) return;
  for (const budget of budgets.filter((one) => appliesTo(one, { ...request, modelId, routeId, providerId }))) {
    const charged = await charge(deps, budget, spent);
    if (!charged) continue;
    // The registry is a few seconds old by design; what this process spent must count at once.
    Object.assign(budget, charged.budget);
    const { before, after } = charged;
    if (after.state !== before.state && (after.state === 'Warning' || after.state === 'Exhausted')) {
      deps.onBudget?.(charged.budget, after);
    }
  }
}

/** A key that was refused rests: as long as the provider asked for, or five minutes. */
const restMs = 5 * 60_000;

async function chargeKeys(db: Db, record: CallRecord, now: number): Promise<void> {
  const keys = db.collection(providerKeySpec);
  const { tenantId } = record.request;
  for (const { keyId, httpStatus, status } of record.attempts) {
    if (keyId === undefined) continue;
    const own = { _id: keyId, tenantId };
    const month = monthOf(now);
    await keys.updateOne({ ...own, spentMonth: { $ne: month } }, { $set: { spentMonth: month, spentUsd: 0 } });
    const isLast = status === 'Succeeded' || record.attempts.at(-1)?.keyId === keyId;
    const refused = httpStatus === 401 || httpStatus === 403;
    await keys.updateOne(own, {
      $set: {
        lastUsedAt: new Date(now),
        ...(refused && { cooldownUntil: new Date(now + restMs) }),
        ...(status === 'RateLimited' && { cooldownUntil: new Date(now + 60_000) }),
        ...(status === 'Succeeded' && { cooldownUntil: null }),
      },
      $inc: {
        spentUsd: isLast ? record.usage.costUsd : 0,
        failureCount: status === 'Succeeded' || status === 'Cancelled' ? 0 : 1,
      },
    });
  }
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
