// Plans and invoices as they are answered and published.
import { shown } from '../../ports/shown.ts';
import { BillingPlanDto, InvoiceDetailDto, InvoiceDto } from './dto.ts';
import { toUsd } from './money.ts';
import type { InvoiceDoc, PlanDoc } from './record.ts';

export const toPlanDto = (plan: PlanDoc): BillingPlanDto => shown(BillingPlanDto, plan);

const amountsOf = ({ subtotalMicro, creditsMicro, taxMicro, totalMicro }: InvoiceDoc) => ({
  subtotalUsd: toUsd(subtotalMicro),
  creditsUsd: toUsd(creditsMicro),
  taxUsd: toUsd(taxMicro),
  totalUsd: toUsd(totalMicro),
});

export const toInvoiceDto = (invoice: InvoiceDoc): InvoiceDto => shown(InvoiceDto, invoice, amountsOf(invoice));

export const toInvoiceDetail = (invoice: InvoiceDoc): InvoiceDetailDto =>
  shown(InvoiceDetailDto, invoice, {
    ...amountsOf(invoice),
    lines: invoice.lines.map(({ amountMicro, ...line }, at) => ({
      id: at + 1,
      ...line,
      amountUsd: toUsd(amountMicro),
    })),
    notes: [invoice.notes, invoice.statusNotes].filter((one) => one !== null).join('\n') || null,
  });
