// Plans, subscriptions, closed periods and invoices as they are kept.
import type { InvoiceGroupBy, UsageMeter } from '../../contract/enums.ts';
import { defineCollection } from '../../ports/db.ts';
import { record, type Stored } from '../../ports/record.ts';
import type { BillingPlanDto, BillingSubscriptionDto, InvoiceDto, InvoiceLineDto, PlanQuotaDto } from './dto.ts';

/** Plans belong to the tenant of the operator. */
export interface PlanDoc extends Stored<BillingPlanDto> {}

export const planRecord = record<PlanDoc>('billing_plans', {
  noun: 'plan',
  list: 'GET /api/billing/plans',
  order: 'id',
  staysSmall: true,
  unique: 'key',
  indexes: [
    { keys: { tenantId: 1, key: 1 }, unique: true },
    { keys: { isDefault: 1 }, name: 'default', partialFilterExpression: { isDefault: true } },
  ],
});

export interface SubscriptionDoc extends Stored<Omit<BillingSubscriptionDto, 'planName' | 'managesPlans'>> {
  /** Length in ms of what the price is for, of the period that begins at `periodStart`: the oldest that is not closed. */
  periodFullMs: number;
  /** The period is a trial, which costs nothing. */
  isTrial: boolean;
  /** Since when it is not paid; null where it is. */
  pastDueAt: Date | null;
  /** The newest event of the payment service about it: older ones that come later change nothing. */
  externalEventAt: Date | null;
}

export const subscriptionRecord = record<SubscriptionDoc>('billing_subscriptions', {
  noun: 'subscription',
  list: 'GET /api/billing/subscription',
  order: 'id',
  staysSmall: true,
  indexes: [
    { keys: { tenantId: 1 }, unique: true },
    { keys: { periodEnd: 1 } },
    { keys: { status: 1 } },
    {
      keys: { externalCustomerId: 1 },
      name: 'customer',
      unique: true,
      partialFilterExpression: { externalCustomerId: { $gt: '' } },
    },
    {
      keys: { externalSubscriptionId: 1 },
      name: 'external',
      unique: true,
      partialFilterExpression: { externalSubscriptionId: { $gt: '' } },
    },
  ],
});

/** Quantities by meter; those that are 0 may be absent. */
export type Used = Partial<Record<UsageMeter, number>>;
/** What usage can be divided by. */
export type UsageGroup = Exclude<InvoiceGroupBy, 'Meter'>;

export interface GroupUse {
  /** An id, or the name of a model; null for what belongs to none. */
  key: number | string | null;
  used: Used;
}

/** A period that has ended, with all that its invoice is made of: it never changes. */
export interface PeriodDoc {
  /** `<tenant>:<start in ms>`, so that a period is closed once. */
  _id: string;
  tenantId: number;
  start: Date;
  end: Date;
  planName: string;
  monthlyPriceUsd: number;
  quotas: PlanQuotaDto[];
  /** The share of the price that the period costs: `days` of `of`. */
  days: number;
  of: number;
  /** A trial: it costs nothing. */
  isFree: boolean;
  used: Used;
  groups: Record<UsageGroup, GroupUse[]>;
  createdAt: Date;
}

export const periodSpec = defineCollection<PeriodDoc>({
  name: 'billing_periods',
  indexes: [{ keys: { tenantId: 1, start: 1 } }],
});

export interface LineDoc extends Omit<InvoiceLineDto, 'id' | 'amountUsd'> {
  amountMicro: number;
}

type Amounts = 'subtotalUsd' | 'creditsUsd' | 'taxUsd' | 'totalUsd';

export interface InvoiceDoc extends Stored<Omit<InvoiceDto, Amounts>> {
  groupBy: InvoiceGroupBy;
  planName: string | null;
  lines: LineDoc[];
  subtotalMicro: number;
  creditsMicro: number;
  taxMicro: number;
  totalMicro: number;
  notes: string | null;
  /** What was said when its status changed; its downloads do not have it. */
  statusNotes: string | null;
  /** The year of its number and its place there; a draft is at 0. */
  year: number;
  place: number;
  /** Start of its period in ms, of all but void ones: a period has one invoice. */
  bills: number;
  /** Requests that moved it. */
  marks: string[];
  updatedAt: Date;
}

export const invoiceRecord = record<InvoiceDoc>('billing_invoices', {
  noun: 'invoice',
  list: 'GET /api/billing/invoices',
  order: '-periodStartUtc',
  staysSmall: true,
  indexes: [
    { keys: { tenantId: 1, periodStart: 1 } },
    { keys: { tenantId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, status: 1, periodStart: 1 } },
    { keys: { tenantId: 1, status: 1, createdAt: 1 } },
    { keys: { status: 1, dueAt: 1 } },
    { keys: { externalReference: 1 }, partialFilterExpression: { externalReference: { $gt: '' } }, name: 'reference' },
    {
      keys: { tenantId: 1, year: 1, place: 1 },
      name: 'numbers',
      unique: true,
      partialFilterExpression: { place: { $gt: 0 } },
    },
    {
      keys: { tenantId: 1, bills: 1 },
      name: 'billed',
      unique: true,
      partialFilterExpression: { bills: { $gt: 0 } },
    },
  ],
});
