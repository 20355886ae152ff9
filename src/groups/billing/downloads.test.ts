import { expect, it } from 'vitest';
import { invoiceFile } from './downloads.ts';
import type { InvoiceDoc } from './record.ts';

const at = new Date('2026-02-01T00:00:00Z');
const line = { meter: 'ModelCalls' as const, quantity: 3, projectId: null, orgUnitId: null };
const invoice: InvoiceDoc = {
  ...{ _id: 7, guid: '6d3b5a3e-7d0c-4c5b-9a65-0f1f4d0e7a11', tenantId: 1, number: '2026-0001', status: 'Open' },
  ...{ periodStart: new Date('2026-01-01T00:00:00Z'), periodEnd: at, currency: 'USD', externalReference: null },
  ...{ issuedAt: at, dueAt: at, paidAt: null, createdAt: at, updatedAt: at, groupBy: 'Model', planName: '<i>Pro</i>' },
  ...{
    subtotalMicro: 60,
    creditsMicro: 0,
    taxMicro: 0,
    totalMicro: 60,
    notes: '=1+1\n<script>',
    statusNotes: 'By bank.',
  },
  ...{ year: 2026, place: 1, bills: 1, marks: [] },
  lines: [
    { ...line, description: 'Calls, "model"', modelId: '=cmd()', unitPriceUsd: 1e-5, amountMicro: 30 },
    { ...line, description: '+1', modelId: '@sum', unitPriceUsd: 1e-5, amountMicro: 30 },
  ],
};
const body = (format: 'Html' | 'Csv' | 'Json', doc = invoice) => String(invoiceFile(doc, format).body);

it('has no cell that a spreadsheet takes for a formula, and every digit of an amount', () => {
  const [head, first, second, ...sums] = body('Csv').trimEnd().split('\r\n');
  expect(head).toMatch(/^number,periodStartUtc,/);
  expect(first).toBe(
    `2026-0001,2026-01-01T00:00:00.000Z,2026-02-01T00:00:00.000Z,1,"Calls, ""model""",ModelCalls,,,'=cmd(),3,0.00001,0.00003`,
  );
  expect(second).toContain(",'+1,ModelCalls,,,'@sum,");
  expect(sums.at(-1)).toBe('2026-0001,2026-01-01T00:00:00.000Z,2026-02-01T00:00:00.000Z,,Total,,,,,,,0.00006');
});

it('is a page of texts alone, that loads nothing and runs nothing', () => {
  const { headers } = invoiceFile(invoice, 'Html');
  expect(headers).toMatchObject({ 'content-security-policy': expect.stringContaining("default-src 'none'") });
  expect(body('Html')).toContain('&lt;i&gt;Pro&lt;/i&gt;');
  expect(body('Html')).toContain('&lt;script&gt;');
  expect(body('Html')).not.toMatch(/<i>|<script|src=|href=|url\(/);
  expect(body('Html')).toContain('$0.00006');
});

it('says what was issued, whatever became of it', () => {
  const later: InvoiceDoc = { ...invoice, status: 'Paid', paidAt: at, externalReference: 'in_1', statusNotes: 'Paid.' };
  for (const format of ['Html', 'Csv', 'Json'] as const) expect(body(format, later)).toBe(body(format));
});
