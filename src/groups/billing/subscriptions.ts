// Moves subscriptions: who chooses a plan, who has paid, who has not, and what ends.
import type { Caller } from '../../contract/caller.ts';
import { Fault } from '../../kernel/fault.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { By } from '../../ports/keeper.ts';
import type { Draft } from '../../ports/record.ts';
import type { BillingBook } from './book.ts';
import { closeAll } from './closing.ts';
import { anchorAfter, dayEnd } from './periods.ts';
import { builtInPlan } from './plans.ts';
import type { PlanDoc, SubscriptionDoc } from './record.ts';
import { beginning } from './subscribed.ts';
import { type Happening, statusAfter } from './transitions.ts';

export interface Choice {
  planId: number;
  billingAnchorDay?: number | null | undefined;
  cancelAtPeriodEnd?: boolean | null | undefined;
  externalCustomerId?: string | null | undefined;
  externalSubscriptionId?: string | null | undefined;
  trialEndsAtUtc?: string | null | undefined;
}

const nothingYet = {
  ...{ cancelAtPeriodEnd: false, trialEndsAt: null, externalCustomerId: null, externalSubscriptionId: null },
  ...{ lastPaymentAt: null, pastDueAt: null, externalEventAt: null, nextPlanId: null },
};

/** A new subscription: without a trial it is active at once. */
export function newSubscription(
  now: number,
  { planId, anchorDay, trialEnds }: { planId: number; anchorDay: number | null; trialEnds: number | null },
): Draft<SubscriptionDoc> {
  // The first period after a trial is a whole one.
  const billingAnchorDay = anchorDay ?? new Date(trialEnds === null ? now : dayEnd(trialEnds)).getUTCDate();
  return {
    ...nothingYet,
    ...beginning(now, { anchorDay: billingAnchorDay, trialEnds }),
    planId,
    status: trialEnds === null ? 'Active' : 'Trialing',
    billingAnchorDay,
    trialEndsAt: trialEnds === null ? null : new Date(trialEnds),
  };
}

/** Makes the subscription of a tenant; the one that is there where somebody was faster. */
export async function insertSubscription(
  book: BillingBook,
  by: By,
  draft: Draft<SubscriptionDoc>,
): Promise<SubscriptionDoc> {
  try {
    return await book.subscriptions.insert(by, draft);
  } catch (error) {
    const there = isDuplicate(error) && (await book.subscriptionOf(by.tenantId));
    if (!there) throw isDuplicate(error) ? takenElsewhere(error) : error;
    return there;
  }
}

/** @throws Fault NOT_FOUND, VALIDATION_FAILED, FORBIDDEN, INVALID_TRANSITION, DUPLICATE */
export async function subscribe(book: BillingBook, caller: Caller, choice: Choice): Promise<SubscriptionDoc> {
  const now = book.clock.now();
  const trialEnds = choice.trialEndsAtUtc == null ? null : Date.parse(choice.trialEndsAtUtc);
  const old = await book.subscriptionOf(caller.tenantId);
  const plan = await planToChoose(book, choice.planId, old);
  if (trialEnds !== null) requireTrial(book, caller, { old, trialEnds, now });
  if (!old) {
    const { planId, billingAnchorDay: anchorDay = null } = choice;
    const draft = { ...newSubscription(now, { planId, anchorDay, trialEnds }), ...toldOf(choice) };
    const made = await insertSubscription(book, caller, draft);
    // Somebody was faster: what is asked for now is a change of theirs.
    return made.createdAt.getTime() < now ? subscribe(book, caller, choice) : made;
  }
  if (old.status === 'Cancelled') await closeAll(book, old, now);
  const present = await book.plans.get(old.planId);
  const isOverdue = await hasOverdue(book, caller.tenantId);
  if (old.status === 'Cancelled' && isOverdue) throw unpaid();
  try {
    return await book.subscriptions.change(
      caller,
      old._id,
      (doc) => ({
        ...toldOf(choice),
        ...planned(doc, plan, { isCheaper: plan.monthlyPriceUsd < present.monthlyPriceUsd, now }),
        ...(choice.billingAnchorDay != null && { billingAnchorDay: choice.billingAnchorDay }),
        ...chosenAgain(doc, choice, { now, isOverdue }),
      }),
      { expecting: ['status', 'periodStart', 'periodEnd', 'planId'] },
    );
  } catch (error) {
    throw isDuplicate(error) ? takenElsewhere(error) : error;
  }
}

/** Fields that are taken as they come. */
const toldOf = ({ cancelAtPeriodEnd, externalCustomerId, externalSubscriptionId }: Choice) => ({
  ...(cancelAtPeriodEnd != null && { cancelAtPeriodEnd }),
  ...(externalCustomerId !== undefined && { externalCustomerId }),
  ...(externalSubscriptionId !== undefined && { externalSubscriptionId }),
});

/**
 * A cheaper plan holds from the next period on, so that no period is billed for less than it was; every other one at
 * once. A period that has ended, and is not closed yet, keeps its plan.
 */
export function planned(
  { status, periodEnd, planId }: SubscriptionDoc,
  plan: PlanDoc,
  { isCheaper, now }: { isCheaper: boolean; now: number },
): Partial<Draft<SubscriptionDoc>> {
  if (plan._id === planId) return { nextPlanId: null };
  const hasEnded = periodEnd.getTime() <= now;
  if (status === 'Trialing' || (status === 'Cancelled' && hasEnded)) return { planId: plan._id, nextPlanId: null };
  return isCheaper || hasEnded ? { nextPlanId: plan._id } : { planId: plan._id, nextPlanId: null };
}

/** What choosing a plan does to a subscription that there is. */
function chosenAgain(
  doc: SubscriptionDoc,
  { planId, billingAnchorDay, cancelAtPeriodEnd }: Choice,
  { now, isOverdue }: { now: number; isOverdue: boolean },
): Partial<Draft<SubscriptionDoc>> {
  const { status } = doc;
  if (status === 'Cancelled') {
    const end = doc.periodEnd.getTime();
    const anchorDay = billingAnchorDay ?? doc.billingAnchorDay;
    // A period that was cut short goes on; one that has ended is followed by one that begins today.
    const period =
      now < end
        ? { periodEnd: new Date(anchorAfter(doc.periodStart.getTime(), doc.billingAnchorDay)) }
        : beginning(now, { anchorDay, trialEnds: null });
    return { ...period, status: 'Active', cancelAtPeriodEnd: cancelAtPeriodEnd ?? false, pastDueAt: null };
  }
  // Choosing a plan is no payment.
  if (status === 'Suspended') return isOverdue ? {} : { status: statusAfter(status, 'chosen'), pastDueAt: null };
  // A trial ends early when another plan is chosen; its time stays free.
  if (status === 'Trialing' && planId !== doc.planId)
    return {
      status: statusAfter(status, 'chosen'),
      trialEndsAt: new Date(now),
      periodEnd: new Date(Math.min(dayEnd(now + 1), doc.periodEnd.getTime())),
    };
  return {};
}

async function planToChoose(book: BillingBook, planId: number, old: SubscriptionDoc | null): Promise<PlanDoc> {
  const plan = await book.plans.get(planId);
  const isThere = plan._id === planId && (plan.isActive || planId === old?.planId);
  // Nobody leaves the plan of the operator for one without limits.
  const isOpen = plan !== builtInPlan || planId === old?.planId || (await book.plans.default()) === null;
  if (isThere && isOpen) return plan;
  throw new Fault('NOT_FOUND', `There is no plan ${planId} to choose.`, {
    hint: 'List them with GET /api/billing/plans.',
  });
}

function requireTrial(
  book: BillingBook,
  caller: Caller,
  { old, trialEnds, now }: { old: SubscriptionDoc | null; trialEnds: number; now: number },
): void {
  requireGiver(book, caller, 'a trial');
  if (old?.trialEndsAt?.getTime() === trialEnds) return;
  if (old)
    throw new Fault('INVALID_TRANSITION', `A subscription that is ${old.status} begins no trial.`, {
      hint: 'A trial is named when the first plan is chosen.',
    });
  if (trialEnds <= now)
    throw new Fault('VALIDATION_FAILED', 'The trial has ended already.', { hint: 'Give a time that is to come.' });
}

/**
 * What takes money away from the operator: where a payment service says who has paid, only the operator gives it.
 * @throws Fault FORBIDDEN
 */
export function requireGiver({ hasPaymentService, operatorTenantId }: BillingBook, caller: Caller, what: string): void {
  if (!hasPaymentService || caller.tenantId === operatorTenantId) return;
  throw new Fault('FORBIDDEN', `Only the operator of this server gives ${what}.`, {
    hint: 'Payments are told by the payment service.',
  });
}

export const hasOverdue = async ({ invoices, clock }: BillingBook, tenantId: number): Promise<boolean> =>
  (await invoices.of(tenantId).findOne({ status: 'Open', dueAt: { $lte: new Date(clock.now()) } })) !== null;

/** Lets something happen to a subscription; it stays as it is where that means nothing to it. */
export function happened(
  { subscriptions, clock }: BillingBook,
  { _id, tenantId }: Pick<SubscriptionDoc, '_id' | 'tenantId'>,
  happening: Happening,
  more: Partial<Draft<SubscriptionDoc>> = {},
): Promise<SubscriptionDoc> {
  return subscriptions.change(
    { tenantId },
    _id,
    (doc) => {
      const status = statusAfter(doc.status, happening);
      if (status === doc.status) return more;
      const pastDueAt = status === 'PastDue' ? new Date(clock.now()) : status === 'Suspended' ? doc.pastDueAt : null;
      return { ...more, status, pastDueAt };
    },
    { expecting: ['status'] },
  );
}

/** After a payment: where nothing else is overdue, the subscription is active again. */
export async function settled(book: BillingBook, tenantId: number, paidAt: Date | null): Promise<void> {
  const doc = await book.subscriptionOf(tenantId);
  if (!doc) return;
  const more = paidAt === null ? {} : { lastPaymentAt: paidAt };
  if (await hasOverdue(book, tenantId)) await book.subscriptions.change({ tenantId }, doc._id, more);
  else await happened(book, doc, 'paid', more);
}

const unpaid = () =>
  new Fault('INVALID_TRANSITION', 'An invoice is overdue: nothing new is chosen before it is paid.', {
    hint: 'See GET /api/billing/invoices?status=Open.',
  });

const takenElsewhere = (cause: unknown) =>
  new Fault('DUPLICATE', 'Another subscription has this external id.', {
    hint: 'Each customer and each subscription of the payment service belongs to one tenant.',
    cause,
  });
