// Shows what a period has used of each meter, by the plan, and where it will stand when the period ends.
import type { BudgetState } from '../../contract/enums.ts';
import { Fault } from '../../kernel/fault.ts';
import type { BillingBook } from './book.ts';
import { findClosed } from './closed-periods.ts';
import { overageCost, overageCosts, overageOf } from './costs.ts';
import type { BillingUsageDto, PlanQuotaDto, UsageMeterDto } from './dto.ts';
import { knownMeters, meters, type Place } from './meters.ts';
import { rounded, shareOf, toUsd } from './money.ts';
import { day, type Period, periodAt, projected } from './periods.ts';
import { builtInPlan } from './plans.ts';
import type { PeriodDoc, PlanDoc, Used } from './record.ts';
import { periodNow, planIdAt } from './subscribed.ts';

/** Share of a limit from which on it is nearly reached. */
const warnAt = 0.8;

interface Shown {
  period: Pick<Period, 'start' | 'end'>;
  terms: Pick<PeriodDoc, 'planName' | 'monthlyPriceUsd' | 'quotas' | 'days' | 'of' | 'isFree'>;
  used: Used;
  now: number;
}

/** @throws Fault NOT_FOUND where no period begins then */
export async function usageOf(
  book: BillingBook,
  tenantId: number,
  query: Place & { periodStartUtc?: string | undefined },
): Promise<BillingUsageDto> {
  const { periodStartUtc, ...place } = query;
  const now = book.clock.now();
  const doc = await book.subscriptionOf(tenantId);
  const current = periodNow(doc, now);
  const start = periodStartUtc === undefined ? current.start : Date.parse(periodStartUtc);
  const closed = await findClosed(book.periods, tenantId, start);
  const isPlace = place.projectId !== undefined || place.orgUnitIds !== undefined;
  if (closed && !isPlace) return shownUse({ period: spanOf(closed), terms: closed, used: closed.used, now });
  const period = closed ? spanOf(closed) : await runningFrom(book, tenantId, start);
  const used = await book.meters.flows(tenantId, { from: period.start, to: period.end }, place);
  const plan = doc ? await book.plans.get(planIdAt(doc, now)) : ((await book.plans.default()) ?? builtInPlan);
  const terms = closed ?? termsOf(plan, period, doc?.isTrial === true && period.start === doc.periodStart.getTime());
  if (isPlace) return shownPart({ period, terms, used, now });
  return shownUse({ period, terms, used: { ...used, ...(await book.meters.levels(tenantId)) }, now });
}

const spanOf = ({ start, end }: PeriodDoc) => ({ start: start.getTime(), end: end.getTime() });

const termsOf = (plan: PlanDoc, period: Partial<Period> & Pick<Period, 'start' | 'end'>, isFree: boolean) => {
  const length = period.end - period.start;
  const full = period.full ?? length;
  const { name: planName, monthlyPriceUsd, quotas } = plan;
  return { planName, monthlyPriceUsd, quotas, days: Math.min(length, full) / day, of: full / day, isFree };
};

/** A period that is not closed: the current one, or one that has just ended. @throws Fault NOT_FOUND */
export async function runningFrom(book: BillingBook, tenantId: number, start: number): Promise<Period> {
  const now = book.clock.now();
  const doc = await book.subscriptionOf(tenantId);
  const current = periodNow(doc, now);
  if (current.start === start) return current;
  // Before anybody chose a plan periods are calendar months.
  const month = periodAt(start);
  const begun = doc ? doc.createdAt.getTime() : now;
  if (month.start === start && month.end <= begun) return month;
  const stored = doc?.periodStart.getTime() === start ? doc : null;
  if (stored) return { start, end: stored.periodEnd.getTime(), full: stored.periodFullMs };
  throw new Fault('NOT_FOUND', `No period of this tenant begins at ${new Date(start).toISOString()}.`, {
    hint: 'Leave periodStartUtc out, or take the one of GET /api/billing/subscription or of an invoice.',
  });
}

function shownUse({ period, terms, used, now }: Shown): BillingUsageDto {
  const later: Used = Object.fromEntries(
    knownMeters.map((meter) => {
      const quantity = used[meter] ?? 0;
      return [meter, meters[meter].kind === 'level' ? quantity : rounded(projected(quantity, period, now))];
    }),
  );
  const price = terms.isFree ? 0 : shareOf(terms.monthlyPriceUsd, terms.days, terms.of);
  const over = terms.isFree ? 0 : overageCosts(terms.quotas, used);
  const overLater = terms.isFree ? 0 : overageCosts(terms.quotas, later);
  return {
    periodStartUtc: new Date(period.start).toISOString(),
    periodEndUtc: new Date(period.end).toISOString(),
    planName: terms.planName,
    meters: knownMeters.map((meter) => {
      const quota = terms.quotas.find((one) => one.meter === meter);
      return shownMeter(meter, used[meter] ?? 0, later[meter] ?? 0, quota, terms.isFree);
    }),
    modelCostUsd: used.ModelCostUsd ?? 0,
    overageCostUsd: toUsd(over),
    totalCostUsd: toUsd(price + over),
    projectedTotalUsd: toUsd(price + overLater),
  };
}

/** What was used in a project or a unit: quotas are the whole tenant's, so that it has no price of its own. */
function shownPart({ period, terms, used, now }: Shown): BillingUsageDto {
  const flows = knownMeters.filter((meter) => meters[meter].kind !== 'level');
  return {
    ...shownUse({ period, terms: { ...terms, monthlyPriceUsd: 0, quotas: [] }, used, now }),
    meters: flows.map((meter) => {
      const quantity = used[meter] ?? 0;
      return shownMeter(meter, quantity, rounded(projected(quantity, period, now)), undefined, true);
    }),
  };
}

function shownMeter(
  meter: UsageMeterDto['meter'],
  used: number,
  projectedUsed: number,
  quota: PlanQuotaDto | undefined,
  isFree: boolean,
): UsageMeterDto {
  const bound = quota && (quota.limit ?? (quota.included > 0 ? quota.included : null));
  const share = bound == null ? null : bound === 0 ? Number(used > 0) : used / bound;
  return {
    meter,
    unit: meters[meter].unit,
    used,
    included: quota?.included ?? 0,
    limit: quota?.limit ?? null,
    percentUsed: share === null ? null : Math.round(share * 10_000) / 100,
    overage: quota ? overageOf(quota, used) : 0,
    overageCostUsd: quota && !isFree ? toUsd(overageCost(quota, used)) : 0,
    projectedUsed,
    state: stateOf(share),
  };
}

function stateOf(share: number | null): BudgetState {
  if (share === null) return 'Unlimited';
  if (share >= 1) return 'Exhausted';
  return share >= warnAt ? 'Warning' : 'Ok';
}
