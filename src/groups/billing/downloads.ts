// Invoices as files: what was issued, without what became of it since, so that a file never changes.
import type { InvoiceFormat } from '../../contract/enums.ts';
import type { FileReply } from '../../contract/replies.ts';
import type { InvoiceDetailDto } from './dto.ts';
import type { InvoiceDoc } from './record.ts';
import { toInvoiceDetail } from './to-dto.ts';

/** An invoice as a file to keep. Formulas in a CSV are texts, and a page loads nothing and runs nothing. */
export function invoiceFile(invoice: InvoiceDoc, format: InvoiceFormat): FileReply {
  const issued = issuedOf(invoice);
  const fileName = (ending: string) => `invoice-${invoice.place > 0 ? invoice.number : invoice._id}.${ending}`;
  switch (format) {
    case 'Html':
      return {
        kind: 'file',
        mediaType: 'text/html; charset=utf-8',
        body: htmlOf(issued),
        fileName: fileName('html'),
        headers: { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" },
      };
    case 'Csv':
      return { kind: 'file', mediaType: 'text/csv; charset=utf-8', body: csvOf(issued), fileName: fileName('csv') };
    case 'Json':
      return {
        kind: 'file',
        mediaType: 'application/json',
        body: `${JSON.stringify(issued, null, 2)}\n`,
        fileName: fileName('json'),
      };
    default:
      return format satisfies never;
  }
}

type Issued = Omit<InvoiceDetailDto, 'status' | 'externalReference' | 'paidAtUtc'> & { isDraft: boolean };

function issuedOf(invoice: InvoiceDoc): Issued {
  const { status: _, externalReference: __, paidAtUtc: ___, ...detail } = toInvoiceDetail(invoice);
  return { ...detail, notes: invoice.notes, isDraft: invoice.place === 0 };
}

const columns = [
  'number',
  'periodStartUtc',
  'periodEndUtc',
  'line',
  'description',
  'meter',
  'projectId',
  'orgUnitId',
  'modelId',
  'quantity',
  'unitPriceUsd',
  'amountUsd',
] as const;

function csvOf(issued: Issued): string {
  const head = [issued.number, issued.periodStartUtc, issued.periodEndUtc];
  const lines = issued.lines.map((one) => [
    ...[...head, one.id, one.description, one.meter, one.projectId, one.orgUnitId, one.modelId],
    ...[one.quantity, one.unitPriceUsd, one.amountUsd],
  ]);
  const sum = (what: string, amount: number) => [...head, null, what, null, null, null, null, null, null, amount];
  const { subtotalUsd, creditsUsd, taxUsd, totalUsd } = issued;
  const sums = [
    sum('Subtotal', subtotalUsd),
    sum('Credits', creditsUsd === 0 ? 0 : -creditsUsd),
    sum('Tax', taxUsd),
    sum('Total', totalUsd),
  ];
  return [columns, ...lines, ...sums].map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

/** Texts that a spreadsheet would take for a formula begin with an apostrophe; numbers are as they are. */
function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return plain(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** All digits of a number, never with an exponent. */
const plain = (value: number): string =>
  /e/.test(String(value)) ? value.toFixed(20).replace(/\.?0+$/, '') : String(value);

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const text = (value: string): string => value.replaceAll(/[&<>"']/g, (one) => escapes[one] ?? one);
const date = (iso: string | null): string => (iso === null ? '' : iso.slice(0, 10));
/** Two decimals at least, and as many as the amount has. */
const usd = (amount: number): string => {
  const [whole = '0', cents = ''] = plain(amount).split('.');
  return `$${whole}.${cents.padEnd(2, '0')}`;
};

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:48rem;padding:0 1rem;color:#111;background:#fff}
table{border-collapse:collapse;width:100%;margin:1.5rem 0}th,td{padding:.4rem .5rem;border-bottom:1px solid #ccc;text-align:left;vertical-align:top}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}tfoot td{border:0}dl{display:grid;grid-template-columns:auto 1fr;gap:.2rem 1rem}dd{margin:0}
.notes{white-space:pre-wrap}@media print{body{margin:0;max-width:none}}`;

function htmlOf(issued: Issued): string {
  const title = issued.isDraft ? 'Invoice (draft)' : `Invoice ${issued.number}`;
  const facts: [string, string | null][] = [
    ['Period', `${date(issued.periodStartUtc)} to ${date(issued.periodEndUtc)} (UTC, the last day is not part of it)`],
    ['Plan', issued.planName],
    ['Issued', date(issued.issuedAtUtc) || null],
    ['Due', date(issued.dueAtUtc) || null],
  ];
  const lines = issued.lines.map(
    (one) =>
      `<tr><td>${text(one.description)}</td><td class="n">${plain(one.quantity)}</td><td class="n">$${plain(one.unitPriceUsd)}</td><td class="n">${usd(one.amountUsd)}</td></tr>`,
  );
  const sums: [string, number][] = [
    ['Subtotal', issued.subtotalUsd],
    ...(issued.creditsUsd > 0 ? [['Credits', -issued.creditsUsd] as [string, number]] : []),
    ['Tax', issued.taxUsd],
    ['Total', issued.totalUsd],
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${text(title)}</title><style>${style}</style></head>
<body><h1>${text(title)}</h1>
<dl>${facts.map(([name, value]) => (value === null ? '' : `<dt>${name}</dt><dd>${text(value)}</dd>`)).join('')}</dl>
<table><thead><tr><th>What</th><th class="n">Quantity</th><th class="n">Price</th><th class="n">Amount</th></tr></thead>
<tbody>${lines.join('\n')}</tbody>
<tfoot>${sums.map(([name, amount]) => `<tr><td colspan="3" class="n">${name}</td><td class="n">${amount < 0 ? `−${usd(-amount)}` : usd(amount)}</td></tr>`).join('')}</tfoot></table>
${issued.notes === null ? '' : `<p class="notes">${text(issued.notes)}</p>\n`}<p>Amounts are in ${text(issued.currency)}.</p></body></html>
`;
}
