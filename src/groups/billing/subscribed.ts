// Subscriptions as they stand: what they are where nobody has chosen a plan, and which period it is now.
import { shown } from '../../ports/shown.ts';
import { BillingSubscriptionDto } from './dto.ts';
import { dayEnd, dayStart, type Period, periodAt, periodFrom, periodOf } from './periods.ts';
import type { PlanDoc, SubscriptionDoc } from './record.ts';

/** A subscription's oldest period that is not closed. */
export const firstPeriod = ({ periodStart, periodEnd, periodFullMs }: SubscriptionDoc): Period => ({
  start: periodStart.getTime(),
  end: periodEnd.getTime(),
  full: periodFullMs,
});

/** Whether no period follows the one that is stored. */
export const isLast = ({ status, cancelAtPeriodEnd }: Pick<SubscriptionDoc, 'status' | 'cancelAtPeriodEnd'>): boolean =>
  status === 'Cancelled' || cancelAtPeriodEnd;

/** The period of a time; the calendar month where nobody has chosen a plan. Of a subscription that has ended its last one. */
export function periodNow(doc: SubscriptionDoc | null, now: number): Period {
  if (!doc) return periodAt(now);
  const first = firstPeriod(doc);
  return isLast(doc) ? first : periodOf(first, doc.billingAnchorDay, now);
}

/** The plan that holds at a time: a cheaper one that was chosen does when its period has begun. */
export const planIdAt = (doc: SubscriptionDoc, now: number): number =>
  now < doc.periodEnd.getTime() || isLast(doc) ? doc.planId : (doc.nextPlanId ?? doc.planId);

export const fieldsOf = ({ start, end, full }: Period) => ({
  periodStart: new Date(start),
  periodEnd: new Date(end),
  periodFullMs: full,
});

/** A first period: from this midnight (UTC) to the next anchor day. A trial is a period of its own. */
export function beginning(now: number, { anchorDay, trialEnds }: { anchorDay: number; trialEnds: number | null }) {
  const start = dayStart(now);
  if (trialEnds === null) return { ...fieldsOf(periodFrom(start, anchorDay)), isTrial: false };
  const end = Math.max(dayEnd(trialEnds), start + 1);
  return { ...fieldsOf({ start, end, full: end - start }), isTrial: true };
}

/** A subscription as it is answered and published. */
export function toSubscriptionDto(
  doc: SubscriptionDoc | null,
  plan: PlanDoc,
  { now, managesPlans }: { now: number; managesPlans: boolean },
): BillingSubscriptionDto {
  const { start, end } = periodNow(doc, now);
  const period = { periodStartUtc: new Date(start).toISOString(), periodEndUtc: new Date(end).toISOString() };
  if (doc) {
    const nextPlanId = plan._id === doc.nextPlanId ? null : doc.nextPlanId;
    return shown(BillingSubscriptionDto, doc, {
      planId: plan._id,
      planName: plan.name,
      nextPlanId,
      managesPlans,
      ...period,
    });
  }
  return {
    id: 0,
    guid: '00000000-0000-0000-0000-000000000000',
    planId: plan._id,
    planName: plan.name,
    nextPlanId: null,
    status: 'Active',
    billingAnchorDay: 1,
    ...period,
    cancelAtPeriodEnd: false,
    trialEndsAtUtc: null,
    externalCustomerId: null,
    externalSubscriptionId: null,
    lastPaymentAtUtc: null,
    managesPlans,
    createdAtUtc: period.periodStartUtc,
    updatedAtUtc: period.periodStartUtc,
  };
}
