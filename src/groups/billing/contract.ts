// Billing: plans, the subscription of a tenant, what it has used, and its invoices.
import { z } from 'zod';
import { InvoiceFormat, InvoiceGroupBy, InvoiceStatus, UsageMeter } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, double, fields, int32, int64, string } from '../../contract/types.ts';
import {
  BillingPlanDto,
  BillingSubscriptionDto,
  BillingUsageDto,
  InvoiceDetailDto,
  InvoiceDto,
  UsageRecordDto,
} from './dto.ts';

const read = 'BillingRead';
const write = 'BillingWrite';
const amount = double.min(0).max(1_000_000_000);
const quantity = double.min(0).max(1_000_000_000_000_000);
const quota = z.strictObject({
  meter: UsageMeter,
  included: quantity,
  limit: quantity.nullish(),
  overagePriceUsd: double.min(0).max(1_000_000).nullish(),
  hardLimit: boolean,
});
const externalId = string.trim().min(1).max(200);
const notes = string.max(4000);
const plan = {
  key: string.regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be small letters, digits, dots, - and _'),
  name: string.trim().min(1).max(100),
  description: string.max(2000).nullish(),
  /** Amounts are US dollars: USD is the only one. */
  currency: z.literal('USD').nullish(),
  monthlyPriceUsd: amount,
  quotas: z.array(quota).max(UsageMeter.options.length),
  externalPriceId: externalId.nullish(),
};
const window = { fromUtc: dateTime.optional(), toUtc: dateTime.optional() };

export const billing = group(
  'Billing',
  { base: '/api/billing', doc: 'Plans, the subscription of a tenant, what it has used, and its invoices.' },
  {
    plans: op.get('/plans', {
      doc: 'List the plans that a tenant can choose; the tenant of the operator sees retired ones too, with includeInactive.',
      needs: read,
      query: fields({ includeInactive: boolean.default(false) }),
      data: z.array(BillingPlanDto),
    }),
    createPlan: op.post('/plans', {
      doc: 'Create a plan, in the tenant of the operator. With isDefault it is the plan of every tenant that has chosen none.',
      needs: write,
      body: fields({ ...plan, isActive: boolean.nullish(), isDefault: boolean.nullish() }),
      data: BillingPlanDto,
    }),
    replacePlan: op.put('/plans/{id}', {
      doc: 'Replace a plan, or retire it with isActive false: who has it keeps it. Periods that are closed do not change.',
      needs: write,
      body: fields({ ...plan, isActive: boolean, isDefault: boolean }),
      data: BillingPlanDto,
    }),
    subscription: op.get('/subscription', {
      doc: 'The plan of the tenant, its period and its payment state; id 0 where nobody has chosen a plan.',
      needs: read,
      data: BillingSubscriptionDto,
    }),
    subscribe: op.put('/subscription', {
      doc: 'Choose a plan, or change the anchor day (from the next period on) or the cancellation.',
      needs: write,
      body: fields({
        planId: int64,
        billingAnchorDay: int32.min(1).max(31).nullish(),
        cancelAtPeriodEnd: boolean.nullish(),
        externalCustomerId: externalId.nullish(),
        externalSubscriptionId: externalId.nullish(),
        trialEndsAtUtc: dateTime.nullish(),
      }),
      data: BillingSubscriptionDto,
    }),
    usage: op.get('/usage', {
      doc: 'What a period has used of each meter that is counted, by the plan; of the current one unless a start is given. Of a project or unit it is what was used there, without its cost.',
      needs: read,
      query: fields({
        periodStartUtc: dateTime.optional(),
        projectId: int64.optional(),
        orgUnitId: int64.optional(),
      }),
      data: BillingUsageDto,
    }),
    records: op.get('/usage/records', {
      doc: 'Page through what was metered, newest first, of the last 31 days unless a time is given: each model call and each run, once for each of its meters.',
      needs: read,
      query: listQuery(['occurredAtUtc'], {
        ...window,
        meter: UsageMeter.optional(),
        projectId: int64.optional(),
        orgUnitId: int64.optional(),
        identityId: int64.optional(),
        runId: int64.optional(),
        modelId: string.max(200).optional(),
      }),
      data: page(UsageRecordDto),
    }),
    invoices: op.get('/invoices', {
      doc: 'List invoices by their period, newest first.',
      needs: read,
      query: listQuery(['periodStartUtc', 'createdAtUtc', 'id'], { ...window, status: InvoiceStatus.optional() }),
      data: page(InvoiceDto),
    }),
    createInvoice: op.post('/invoices', {
      doc: 'Build the invoice of a period that has ended; the last one unless a start is given. A draft has no number before it is finalized.',
      needs: write,
      body: fields({
        periodStartUtc: dateTime.nullish(),
        periodEndUtc: dateTime.nullish(),
        groupBy: InvoiceGroupBy.nullish(),
        creditsUsd: amount.nullish(),
        taxPercent: double.min(0).max(100).nullish(),
        notes: notes.nullish(),
        finalize: boolean.nullish(),
      }),
      data: InvoiceDetailDto,
    }),
    invoice: op.get('/invoices/{id}', {
      doc: 'One invoice with its lines.',
      needs: read,
      data: InvoiceDetailDto,
    }),
    moveInvoice: op.post('/invoices/{id}/status', {
      doc: 'Finalize an invoice (Open), mark it as paid, void it, or write it off.',
      needs: write,
      body: fields({
        status: InvoiceStatus,
        externalReference: externalId.nullish(),
        paidAtUtc: dateTime.nullish(),
        notes: notes.nullish(),
      }),
      data: InvoiceDto,
    }),
    download: op.get('/invoices/{id}/download', {
      doc: 'Download an invoice as HTML, CSV or JSON: as it was issued, whatever has become of it.',
      needs: read,
      reply: 'file',
      mediaType: ['text/html', 'text/csv', 'application/json'],
      query: fields({ format: InvoiceFormat.default('Html') }),
      data: string,
    }),
  },
);
