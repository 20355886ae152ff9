// Serves billing: plans are the operator's, each tenant has a subscription, and invoices are made of closed periods.
import type { Caller } from '../../contract/caller.ts';
import { type Handlers, implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import { Fault } from '../../kernel/fault.ts';
import type { UnitsOfTenants } from '../../org-units/units.ts';
import type { Draft } from '../../ports/record.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { BillingBook } from './book.ts';
import { closePeriod, closingDelayMs, findClosed } from './closed-periods.ts';
import { billing } from './contract.ts';
import { invoiceFile } from './downloads.ts';
import type { PlanQuotaDto } from './dto.ts';
import { buildInvoice, moveInvoice, plainTerms } from './invoices.ts';
import { knownMeters, type MeteredRun, meters } from './meters.ts';
import { periodAt } from './periods.ts';
import { builtInPlan } from './plans.ts';
import type { InvoiceDoc, PeriodDoc, PlanDoc } from './record.ts';
import { firstPeriod } from './subscribed.ts';
import { requireGiver, settled, subscribe } from './subscriptions.ts';
import { toInvoiceDetail, toInvoiceDto, toPlanDto } from './to-dto.ts';
import { runningFrom, usageOf } from './usage.ts';
import { usageRecords } from './usage-records.ts';

export interface BillingServiceDeps {
  book: BillingBook;
  runs: PerTenant<MeteredRun>;
  units: Pick<UnitsOfTenants, 'idsBelow'>;
}

type BillingHandlers = Handlers<typeof billing>;

export const billingService = implement(billing, (deps: BillingServiceDeps) => ({
  ...planHandlers(deps.book),
  ...subscriptionHandlers(deps),
  ...invoiceHandlers(deps.book),
}));

function planHandlers(book: BillingBook): Pick<BillingHandlers, 'plans' | 'createPlan' | 'replacePlan'> {
  const { planKeeper, operatorTenantId } = book;
  const isOperator = (caller: Caller) => caller.tenantId === operatorTenantId;
  /** One plan is the default: the newest that says so, and then no other one. */
  const onlyDefault = async (plan: PlanDoc) => {
    if (!plan.isDefault) return;
    await planKeeper
      .of(operatorTenantId)
      .updateMany({ isDefault: true, _id: { $ne: plan._id } }, { $set: { isDefault: false } });
  };
  return {
    plans: async ({ caller, query }) => {
      const active = isOperator(caller) && query.includeInactive ? {} : { isActive: true };
      const found = await planKeeper
        .of(operatorTenantId)
        .find(active, { sort: { _id: 1 } })
        .toArray();
      return found.map(toPlanDto);
    },
    createPlan: async ({ caller, body }) => {
      requireOperator(isOperator(caller));
      const { isActive, isDefault, ...fields } = body;
      const draft = { ...draftOf(fields), isActive: isActive ?? true, isDefault: isDefault ?? false };
      requireUsableDefault(draft);
      const plan = await planKeeper.insert(caller, draft);
      await onlyDefault(plan);
      return toPlanDto(plan);
    },
    replacePlan: async ({ caller, params, body }) => {
      // Nobody else has one to change.
      await planKeeper.get(caller, params.id);
      const { isActive, isDefault, ...fields } = body;
      const draft = { ...draftOf(fields), isActive, isDefault };
      requireUsableDefault(draft);
      const plan = await planKeeper.change(caller, params.id, draft);
      await onlyDefault(plan);
      return toPlanDto(plan);
    },
  };
}

type PlanBody = Omit<Parameters<BillingHandlers['createPlan']>[0]['body'], 'isActive' | 'isDefault'>;

function draftOf(body: PlanBody): Omit<Draft<PlanDoc>, 'isActive' | 'isDefault'> {
  const quotas = body.quotas.map(({ limit = null, overagePriceUsd = null, ...one }) => ({
    ...one,
    limit,
    overagePriceUsd,
  }));
  requireCountable(quotas);
  return {
    key: body.key,
    name: body.name,
    description: body.description ?? null,
    currency: 'USD',
    monthlyPriceUsd: body.monthlyPriceUsd,
    quotas,
    externalPriceId: body.externalPriceId ?? null,
  };
}

/** @throws Fault VALIDATION_FAILED for what cannot be counted or held */
function requireCountable(quotas: readonly PlanQuotaDto[]): void {
  const wrong = (message: string, hint: string) => new Fault('VALIDATION_FAILED', message, { hint });
  for (const [at, { meter, limit, hardLimit, included }] of quotas.entries()) {
    if (meters[meter].kind === 'unknown')
      throw wrong(`${meter} is not counted by this server.`, `Plans can name ${knownMeters.join(', ')}.`);
    if (quotas.findIndex((one) => one.meter === meter) < at)
      throw wrong(`${meter} has more than one quota.`, 'Name each meter once.');
    if (hardLimit && limit === null) throw wrong(`The quota of ${meter} is hard without a limit.`, 'Give a limit.');
    if (limit !== null && limit < included)
      throw wrong(`${meter} includes ${included}, of which only ${limit} are allowed.`, 'Raise the limit.');
  }
}

function requireOperator(isOperator: boolean): void {
  if (isOperator) return;
  throw new Fault('FORBIDDEN', 'Plans are made by the operator of this server.', {
    hint: 'Choose one of GET /api/billing/plans.',
  });
}

function requireUsableDefault({ isActive, isDefault }: Pick<PlanDoc, 'isActive' | 'isDefault'>): void {
  if (isActive || !isDefault) return;
  throw new Fault('VALIDATION_FAILED', 'A retired plan is nobody’s default.', { hint: 'Leave isDefault out.' });
}

function subscriptionHandlers({
  book,
  runs,
  units,
}: BillingServiceDeps): Pick<BillingHandlers, 'subscription' | 'subscribe' | 'usage' | 'records'> {
  const { clock } = book;
  const ofUnit = async ({ tenantId }: Caller, id: number | undefined) =>
    id === undefined ? {} : { orgUnitIds: await units.idsBelow(tenantId, id) };
  return {
    subscription: async ({ caller: { tenantId } }) =>
      book.showSubscription(await book.subscriptionOf(tenantId), tenantId),
    subscribe: async ({ caller, body }) => book.showSubscription(await subscribe(book, caller, body), caller.tenantId),
    usage: async ({ caller, query: { orgUnitId, ...query } }) =>
      usageOf(book, caller.tenantId, { ...query, ...(await ofUnit(caller, orgUnitId)) }),
    records: async ({ caller, query: { orgUnitId, ...query } }) => {
      const asked = { ...query, ...(await ofUnit(caller, orgUnitId)) };
      const { items, totalCount } = await usageRecords({ db: book.db, runs, clock }, caller, asked);
      return toPage(items, totalCount, query);
    },
  };
}

function invoiceHandlers(
  book: BillingBook,
): Pick<BillingHandlers, 'invoices' | 'createInvoice' | 'invoice' | 'moveInvoice' | 'download'> {
  const { invoices } = book;
  return {
    invoices: async ({ caller, query: { fromUtc, toUtc, ...query } }) => {
      const span = {
        ...(fromUtc !== undefined && { $gte: new Date(fromUtc) }),
        ...(toUtc !== undefined && { $lt: new Date(toUtc) }),
      };
      const within = fromUtc === undefined && toUtc === undefined ? {} : { within: { periodStart: span } };
      const { items, totalCount } = await invoices.page(caller, query, within);
      return toPage(items.map(toInvoiceDto), totalCount, query);
    },
    createInvoice: async ({ caller, body }) => {
      const { creditsUsd, taxPercent, groupBy, notes, finalize } = body;
      if (creditsUsd != null && creditsUsd > 0) requireGiver(book, caller, 'credits');
      const period = await closedFor(book, caller.tenantId, body);
      const terms = {
        groupBy: groupBy ?? plainTerms.groupBy,
        creditsUsd: creditsUsd ?? 0,
        taxPercent: taxPercent ?? 0,
        notes: notes ?? null,
      };
      return toInvoiceDetail(await buildInvoice(book, caller, period, { ...terms, finalize: finalize ?? false }));
    },
    invoice: async ({ caller, params }) => toInvoiceDetail(await invoices.get(caller, params.id)),
    moveInvoice: async ({ caller, params, body }) => {
      const { status, externalReference, paidAtUtc, notes } = body;
      const old = await invoices.get(caller, params.id);
      requireOwnMove(book, caller, old, status);
      const paidAt = paidAtUtc == null ? undefined : new Date(paidAtUtc);
      const moved = await moveInvoice(book, caller, params.id, { status, externalReference, notes, paidAt });
      if (status === 'Paid') await settled(book, caller.tenantId, moved.paidAt);
      if (status === 'Void' && old.status === 'Open') await settled(book, caller.tenantId, null);
      return toInvoiceDto(moved);
    },
    download: async ({ caller, params, query }) => invoiceFile(await invoices.get(caller, params.id), query.format),
  };
}

/** A draft is the tenant's own; what is issued is money. */
function requireOwnMove(book: BillingBook, caller: Caller, old: InvoiceDoc, status: InvoiceDoc['status']): void {
  if (status === 'Open' || (status === 'Void' && old.status === 'Draft')) return;
  requireGiver(book, caller, `an invoice the status ${status}`);
}

/** The closed period that an invoice is asked for. @throws Fault NOT_FOUND, VALIDATION_FAILED, PRECONDITION_FAILED */
async function closedFor(
  book: BillingBook,
  tenantId: number,
  {
    periodStartUtc,
    periodEndUtc,
  }: { periodStartUtc?: string | null | undefined; periodEndUtc?: string | null | undefined },
): Promise<PeriodDoc> {
  const now = book.clock.now();
  const start = periodStartUtc == null ? await lastEnded(book, tenantId, now) : Date.parse(periodStartUtc);
  const known = await findClosed(book.periods, tenantId, start);
  const period = known ? { start, end: known.end.getTime(), full: known.of } : await runningFrom(book, tenantId, start);
  if (periodEndUtc != null && Date.parse(periodEndUtc) !== period.end)
    throw new Fault('VALIDATION_FAILED', `The period ends at ${new Date(period.end).toISOString()}.`, {
      hint: 'Whole periods are billed: leave periodEndUtc out, or give that time.',
    });
  if (known) return known;
  if (period.end + closingDelayMs > now)
    throw new Fault(
      'CONFLICT',
      `The period ends at ${new Date(period.end).toISOString()} and is closed an hour later.`,
      {
        hint: 'Its invoice is built then; GET /api/billing/usage shows what it has used so far.',
      },
    );
  const doc = await book.subscriptionOf(tenantId);
  const isOwn = doc !== null && firstPeriod(doc).start === start;
  // Before anybody chose a plan there was none with a price.
  const plan = isOwn ? await book.plans.get(doc.planId) : builtInPlan;
  return closePeriod(book, tenantId, period, { plan, isFree: isOwn && doc.isTrial, now });
}

/** Start of the newest period that has ended and is closed by now. */
async function lastEnded(book: BillingBook, tenantId: number, now: number): Promise<number> {
  const [closed] = await book.periods.find({ tenantId }, { sort: { start: -1 }, limit: 1 }).toArray();
  const doc = await book.subscriptionOf(tenantId);
  if (doc) {
    const first = firstPeriod(doc);
    if (first.end > first.start && first.end + closingDelayMs <= now) return first.start;
    if (closed) return closed.start.getTime();
  }
  const before = doc ? doc.createdAt.getTime() : now - closingDelayMs;
  return periodAt(periodAt(before).start - 1).start;
}
