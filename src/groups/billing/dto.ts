// Plans, subscriptions, usage and invoices as they are answered and published.
import { z } from 'zod';
import { BudgetState, InvoiceStatus, SubscriptionStatus, UsageMeter } from '../../contract/enums.ts';
import { boolean, dateTime, double, dto, int32, int64, string, uuid } from '../../contract/types.ts';

export const PlanQuotaDto = dto('PlanQuotaDto', {
  meter: UsageMeter,
  /** What the price of the plan covers. */
  included: double,
  /** Null for none. */
  limit: double.nullable(),
  /** US dollars for each unit above what is included. */
  overagePriceUsd: double.nullable(),
  /** Whether what would go past the limit is refused. */
  hardLimit: boolean,
});
export type PlanQuotaDto = z.output<typeof PlanQuotaDto>;

export const BillingPlanDto = dto('BillingPlanDto', {
  id: int64,
  guid: uuid,
  key: string,
  name: string,
  description: string.nullable(),
  currency: string,
  monthlyPriceUsd: double,
  quotas: z.array(PlanQuotaDto),
  isActive: boolean,
  isDefault: boolean,
  externalPriceId: string.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type BillingPlanDto = z.output<typeof BillingPlanDto>;

export const BillingSubscriptionDto = dto('BillingSubscriptionDto', {
  /** 0 where nobody has chosen a plan yet. */
  id: int64,
  guid: uuid,
  /** 0 for the built-in plan. */
  planId: int64,
  planName: string,
  /** Ours: a cheaper plan that was chosen holds from the next period on; null where none was. */
  nextPlanId: int64.nullable(),
  status: SubscriptionStatus,
  billingAnchorDay: int32,
  periodStartUtc: dateTime,
  periodEndUtc: dateTime,
  cancelAtPeriodEnd: boolean,
  trialEndsAtUtc: dateTime.nullable(),
  externalCustomerId: string.nullable(),
  externalSubscriptionId: string.nullable(),
  lastPaymentAtUtc: dateTime.nullable(),
  /** Ours: whether this is the tenant of the operator, which makes the plans of all. */
  managesPlans: boolean,
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type BillingSubscriptionDto = z.output<typeof BillingSubscriptionDto>;

export const UsageMeterDto = dto('UsageMeterDto', {
  meter: UsageMeter,
  unit: string,
  used: double,
  included: double,
  limit: double.nullable(),
  /** Of the limit, else of what is included; null where there is neither. */
  percentUsed: double.nullable(),
  overage: double,
  overageCostUsd: double,
  projectedUsed: double,
  state: BudgetState,
});
export type UsageMeterDto = z.output<typeof UsageMeterDto>;

export const BillingUsageDto = dto('BillingUsageDto', {
  periodStartUtc: dateTime,
  periodEndUtc: dateTime,
  planName: string,
  meters: z.array(UsageMeterDto),
  modelCostUsd: double,
  overageCostUsd: double,
  totalCostUsd: double,
  projectedTotalUsd: double,
});
export type BillingUsageDto = z.output<typeof BillingUsageDto>;

export const UsageRecordDto = dto('UsageRecordDto', {
  id: int64,
  meter: UsageMeter,
  quantity: double,
  costUsd: double,
  projectId: int64.nullable(),
  orgUnitId: int64.nullable(),
  identityId: int64.nullable(),
  userId: int64.nullable(),
  runId: int64.nullable(),
  chatSessionId: int64.nullable(),
  modelId: string.nullable(),
  providerName: string.nullable(),
  occurredAtUtc: dateTime,
});
export type UsageRecordDto = z.output<typeof UsageRecordDto>;

const invoice = {
  id: int64,
  guid: uuid,
  number: string,
  status: InvoiceStatus,
  periodStartUtc: dateTime,
  periodEndUtc: dateTime,
  currency: string,
  subtotalUsd: double,
  creditsUsd: double,
  taxUsd: double,
  totalUsd: double,
  externalReference: string.nullable(),
  issuedAtUtc: dateTime.nullable(),
  dueAtUtc: dateTime.nullable(),
  paidAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
};
export const InvoiceDto = dto('InvoiceDto', invoice);
export type InvoiceDto = z.output<typeof InvoiceDto>;

export const InvoiceLineDto = dto('InvoiceLineDto', {
  /** From 1, within its invoice. */
  id: int64,
  description: string,
  meter: UsageMeter.nullable(),
  quantity: double,
  unitPriceUsd: double,
  amountUsd: double,
  projectId: int64.nullable(),
  orgUnitId: int64.nullable(),
  modelId: string.nullable(),
});
export type InvoiceLineDto = z.output<typeof InvoiceLineDto>;

export const InvoiceDetailDto = dto('InvoiceDetailDto', {
  ...invoice,
  lines: z.array(InvoiceLineDto),
  planName: string.nullable(),
  notes: string.nullable(),
});
export type InvoiceDetailDto = z.output<typeof InvoiceDetailDto>;
