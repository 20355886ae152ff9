// Builds invoices from closed periods, gives them their numbers, and moves them.
import type { InvoiceGroupBy, InvoiceStatus } from '../../contract/enums.ts';
import { Fault } from '../../kernel/fault.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { By } from '../../ports/keeper.ts';
import { isMarked, onceScope, ownMark } from '../../ports/once.ts';
import type { Draft } from '../../ports/record.ts';
import type { BillingBook } from './book.ts';
import { linesOf } from './costs.ts';
import { percentOf, toMicro } from './money.ts';
import { day } from './periods.ts';
import type { InvoiceDoc, PeriodDoc } from './record.ts';
import { requireInvoiceMove } from './transitions.ts';

/** Days from its issue until an invoice is due. */
export const daysToPay = 14;

export interface InvoiceTerms {
  groupBy: InvoiceGroupBy;
  creditsUsd: number;
  taxPercent: number;
  notes: string | null;
}
export const plainTerms: InvoiceTerms = { groupBy: 'Meter', creditsUsd: 0, taxPercent: 0, notes: null };

/** What an invoice of a period says and comes to: the same for the same period and terms. Amounts are micro-dollars. */
export function contentOf(period: PeriodDoc, terms: InvoiceTerms) {
  const { groupBy } = terms;
  const lines = linesOf(period, groupBy === 'Meter' ? null : groupBy);
  const subtotalMicro = lines.reduce((sum, { amountMicro }) => sum + amountMicro, 0);
  // Nobody is paid out: what is left of a credit is not used.
  const creditsMicro = Math.min(toMicro(terms.creditsUsd), subtotalMicro);
  const taxMicro = percentOf(subtotalMicro - creditsMicro, terms.taxPercent);
  return {
    groupBy,
    lines,
    subtotalMicro,
    creditsMicro,
    taxMicro,
    totalMicro: subtotalMicro - creditsMicro + taxMicro,
    notes: terms.notes,
    planName: period.planName,
    currency: 'USD',
    periodStart: period.start,
    periodEnd: period.end,
  };
}

const notIssued = {
  ...{ status: 'Draft' as const, number: 'Draft', year: 0, place: 0, externalReference: null, statusNotes: null },
  ...{ issuedAt: null, dueAt: null, paidAt: null },
};

/** The number of an invoice that is issued now: the next of its tenant and year, without gaps. */
async function numbered({ invoices, clock }: BillingBook, tenantId: number) {
  const issuedAt = new Date(clock.now());
  const year = issuedAt.getUTCFullYear();
  const [last] = await invoices
    .of(tenantId)
    .find({ year, place: { $gt: 0 } }, { sort: { place: -1 }, limit: 1 })
    .toArray();
  const place = (last?.place ?? 0) + 1;
  const number = `${year}-${String(place).padStart(4, '0')}`;
  return {
    status: 'Open' as const,
    year,
    place,
    number,
    issuedAt,
    dueAt: new Date(issuedAt.getTime() + daysToPay * day),
  };
}

/** A write that takes the next number, again where somebody else took it first. */
async function taking<R>(
  book: BillingBook,
  tenantId: number,
  write: (taken: Awaited<ReturnType<typeof numbered>>) => Promise<R>,
): Promise<R> {
  for (;;) {
    const taken = await numbered(book, tenantId);
    try {
      return await write(taken);
    } catch (error) {
      const { year, place } = taken;
      if (!isDuplicate(error) || !(await book.invoices.of(tenantId).findOne({ year, place }))) throw error;
    }
  }
}

const billedBy = ({ invoices }: BillingBook, { tenantId, start }: PeriodDoc) =>
  invoices.of(tenantId).findOne({ bills: start.getTime() });

/** @throws Fault CONFLICT where the period has an invoice already */
export async function buildInvoice(
  book: BillingBook,
  by: By,
  period: PeriodDoc,
  { finalize, ...terms }: InvoiceTerms & { finalize: boolean },
): Promise<InvoiceDoc> {
  const there = await billedBy(book, period);
  if (there && onceScope()?.took(there._id)) return there;
  if (there) throw billedAlready(there);
  const draft: Draft<InvoiceDoc> = {
    ...contentOf(period, terms),
    ...notIssued,
    bills: period.start.getTime(),
    marks: [],
  };
  const insert = (taken: object) => book.invoices.insert(by, { ...draft, ...taken });
  try {
    return finalize ? await taking(book, by.tenantId, insert) : await insert({});
  } catch (error) {
    const first = isDuplicate(error) && (await billedBy(book, period));
    throw first ? billedAlready(first) : error;
  }
}

const billedAlready = ({ _id, number, status }: InvoiceDoc) =>
  new Fault('CONFLICT', `The period has invoice ${_id} (${number}, ${status}) already.`, {
    hint: 'A period has one invoice: void that one to bill the period again.',
  });

export interface Move {
  status: InvoiceStatus;
  externalReference?: string | null | undefined;
  paidAt?: Date | undefined;
  notes?: string | null | undefined;
}

/** Moves an invoice to another status; what it says stays as it is. @throws Fault INVALID_TRANSITION */
export function moveInvoice(book: BillingBook, by: By, id: number, move: Move): Promise<InvoiceDoc> {
  const { clock, invoices } = book;
  const change = (taken: object) =>
    invoices.change(
      by,
      id,
      (old) => {
        // The request moved it before its server died.
        if (isMarked(old)) return {};
        requireInvoiceMove(old.status, move.status);
        return {
          ...ownMark(old),
          ...taken,
          status: move.status,
          ...(move.status === 'Paid' && { paidAt: move.paidAt ?? new Date(clock.now()) }),
          // Its period can be billed again.
          ...(move.status === 'Void' && { bills: 0 }),
          ...(move.externalReference != null && { externalReference: move.externalReference }),
          ...(move.notes != null && { statusNotes: [old.statusNotes, move.notes].filter(Boolean).join('\n') }),
        };
      },
      { expecting: ['status'] },
    );
  return move.status === 'Open' ? taking(book, by.tenantId, change) : change({});
}
