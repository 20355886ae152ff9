// Billing over an embedded store and a clock that tests move, with calls that are simply there.
import { randomUUID } from 'node:crypto';
import { openTestDb } from '../../../../test/support/embedded-db.ts';
import { authSpecs } from '../../../auth/collections.ts';
import { silentLogger } from '../../../kernel/logger.ts';
import { SimulatedClock } from '../../../kernel/simulated-clock.ts';
import { aiRouterSpecs, type CallDoc, callSpec, sumsOfCall } from '../../../ports/ai-router.ts';
import type { Db } from '../../../ports/db.ts';
import type { Publisher } from '../../../ports/stream.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import { createIds } from '../../../stores/ids.ts';
import { removedRuns, runs } from '../../../stores/runs/collections.ts';
import { memoryRecord } from '../../memories/record.ts';
import { paymentEventSpec } from '../../payment-webhook/record.ts';
import { createBillingBook } from '../book.ts';
import { look } from '../closing.ts';
import type { PlanQuotaDto } from '../dto.ts';
import { createMeters } from '../meters.ts';
import { createPlans } from '../plans.ts';
import { createQuotas } from '../quotas.ts';
import { invoiceRecord, type PlanDoc, periodSpec, planRecord, subscriptionRecord } from '../record.ts';
import { happened, hasOverdue, insertSubscription, newSubscription } from '../subscriptions.ts';

export const tenantId = 1;
export const day = 86_400_000;

export async function openBillingWorld(start = Date.parse('2026-01-10T12:00:00Z')) {
  const clock = new SimulatedClock(start);
  const db = openTestDb();
  await db.ensureIndexes([
    ...authSpecs,
    ...aiRouterSpecs,
    ...[runs, removedRuns, memoryRecord.spec, paymentEventSpec],
    ...[planRecord.spec, subscriptionRecord.spec, periodSpec, invoiceRecord.spec],
  ]);
  const told: { type: string; data: unknown }[] = [];
  const publisher = {
    publish: async (one: { type: string; data: unknown }) => void told.push(one),
  } as never as Publisher;
  /** Billing of one node; several may share a store. */
  const node = (over: Db = db) => {
    const meters = createMeters({
      db: over,
      runs: perTenant(over.collection(runs)),
      removedRuns: perTenant(over.collection(removedRuns)),
    });
    const ids = createIds({ db: over });
    const common = { ids, clock, publisher, meters, operatorTenantId: tenantId, hasPaymentService: false };
    const book = createBillingBook({ db: over, ...common });
    const moves = {
      happened: (...[doc, what]: Parameters<Parameters<typeof look>[1]['happened']>) => happened(book, doc, what),
      hasOverdue: (of: number) => hasOverdue(book, of),
    };
    return {
      book,
      look: () => look(book, moves),
      quotas: createQuotas({ db: over, clock, meters, plans: createPlans({ db: over }) }),
    };
  };
  const first = node();
  const world = {
    ...{ clock, db, told, node, logger: silentLogger },
    ...first,
    plan: (fields: Partial<PlanDoc> & { quotas?: PlanQuotaDto[] } = {}) =>
      first.book.planKeeper.insert(
        { tenantId },
        {
          ...{ key: `plan-${randomUUID()}`, name: 'Pro', description: null, currency: 'USD', monthlyPriceUsd: 30 },
          ...{ quotas: [], isActive: true, isDefault: false, externalPriceId: null, ...fields },
        },
      ),
    subscribe: (planId: number, anchorDay: number | null = null, trialEnds: number | null = null) =>
      insertSubscription(first.book, { tenantId }, newSubscription(clock.now(), { planId, anchorDay, trialEnds })),
    subscription: async () =>
      (await first.book.subscriptionOf(tenantId)) as NonNullable<Awaited<ReturnType<typeof first.book.subscriptionOf>>>,
    invoices: () =>
      first.book.invoices
        .of(tenantId)
        .find({}, { sort: { periodStart: 1 } })
        .toArray(),
    async call(fields: Partial<CallDoc> = {}) {
      const made = { attempts: [], latencyMs: 5, timeToFirstTokenMs: null };
      await db.collection(callSpec).insertOne({
        ...made,
        ...sumsOfCall(made),
        ...{
          _id: await first.book.ids.next('ai_calls'),
          guid: randomUUID(),
          tenantId,
          purpose: 'Chat',
          status: 'Succeeded',
        },
        ...{ routeId: null, routeName: null, providerId: null, providerName: 'p', modelId: 'm:a', attemptCount: 1 },
        ...{ promptTokens: 10, completionTokens: 5, cacheReadTokens: 0, costUsd: 0.25, finishReason: 'stop' },
        ...{ errorCode: null, identityId: null, userId: null, runId: null, chatSessionId: null, projectId: null },
        ...{ role: null, decisionJson: null, sealedRequest: null, sealedResponse: null, promptsUntil: null },
        createdAt: new Date(clock.now()),
        ...fields,
      } as CallDoc);
    },
    pass: (ms: number) => clock.advance(ms),
  };
  return world;
}
