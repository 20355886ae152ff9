// Invoices of the tenant, with their files and what can be done with each.
import { useState } from 'react';
import type { InvoiceDto, InvoiceFormat, InvoiceStatus } from '../../../client/index.ts';
import { allOr, formatCost, formatDay, t, words } from '../../base/i18n.ts';
import { useLocation } from '../../base/router.ts';
import { saveAs } from '../../base/save.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import { useAction } from '../../ui/use-action.ts';

const pageSize = 50;
const statuses: InvoiceStatus[] = ['Draft', 'Open', 'Paid', 'Void', 'Uncollectible'];
/** What a person may move an invoice to, and what the button says; the server says the same. */
const moves = (): Record<InvoiceStatus, readonly (readonly [InvoiceStatus, string])[]> => ({
  Draft: [
    ['Open', t('Finalize')],
    ['Void', t('Discard the draft')],
  ],
  Open: [
    ['Paid', t('Mark as paid')],
    ['Void', t('Void')],
    ['Uncollectible', t('Write off')],
  ],
  Paid: [],
  Void: [],
  Uncollectible: [['Paid', t('Mark as paid')]],
});
const formats: readonly (readonly [InvoiceFormat, string])[] = [
  ['Html', 'html'],
  ['Csv', 'csv'],
  ['Json', 'json'],
];

interface Moving {
  invoice: InvoiceDto;
  to: InvoiceStatus;
  label: string;
}

export function Invoices({ news }: { news: number }) {
  const { query } = useLocation();
  const status = statuses.find((one) => one === query.get('status'));
  const page = pageIn(query);
  const list = useKept(
    useResource(`invoices ${status} ${page}`, () =>
      client.billing.invoices({ query: { page, pageSize, ...(status ? { status } : {}) } }),
    ),
  );
  useReloadOn(news, list.reload);
  const [moving, setMoving] = useState<Moving | null>(null);
  const { busy, act } = useAction();
  const build = () => act(() => client.billing.createInvoice({ body: {} }).then(list.reload));
  return (
    <section className="card" aria-labelledby="billing-invoices">
      <div className="card-head">
        <h2 id="billing-invoices">{t('Invoices')}</h2>
        <span className="grow" />
        <UrlChoice label={t('Status')} name="status" chosen={status ?? ''} options={allOr(statuses)} />
        {may('BillingWrite') && (
          <Button disabled={busy} onClick={() => void build()}>
            {t('Invoice for the last period')}
          </Button>
        )}
      </div>
      <Loaded resource={list} rows={4}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={status ? t('No invoice has this status') : t('No invoices yet')}>
              {t('Each period that costs something is billed an hour after its end.')}
            </Empty>
          ) : (
            <>
              <Table rows={found.items} keyOf={({ id }) => id} columns={columns(setMoving)} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {moving && <Move {...moving} onDone={list.reload} onClose={() => setMoving(null)} />}
    </section>
  );
}

const columns = (onMove: (moving: Moving) => void): Column<InvoiceDto>[] => [
  { head: t('Number'), cell: ({ number }) => <strong>{number}</strong> },
  {
    head: t('Period'),
    className: 'nowrap',
    cell: ({ periodStartUtc, periodEndUtc }) => `${formatDay(periodStartUtc)} – ${formatDay(periodEndUtc)}`,
  },
  { head: t('Status'), cell: ({ status }) => <State name={status} /> },
  { head: t('Total'), num: true, cell: ({ totalUsd }) => formatCost(totalUsd) },
  { head: t('Due'), className: 'nowrap', cell: ({ dueAtUtc }) => (dueAtUtc ? formatDay(dueAtUtc) : '–') },
  { head: t('Files'), cell: (invoice) => <Files invoice={invoice} /> },
  {
    head: '',
    num: true,
    cell: (invoice) =>
      may('BillingWrite') && (
        <span className="row wrap">
          {moves()[invoice.status].map(([to, label]) => (
            <Button key={to} size="small" onClick={() => onMove({ invoice, to, label })}>
              {label}
            </Button>
          ))}
        </span>
      ),
  },
];

function Files({ invoice: { id, number } }: { invoice: InvoiceDto }) {
  const { busy, act } = useAction();
  const take = async (format: InvoiceFormat, ending: string) =>
    saveAs(await client.billing.download({ params: { id }, query: { format } }), `invoice-${number}.${ending}`);
  return (
    <span className="row wrap">
      {formats.map(([format, ending]) => (
        <Button
          key={format}
          size="small"
          icon="down"
          disabled={busy}
          onClick={() => void act(() => take(format, ending))}
        >
          {ending.toUpperCase()}
        </Button>
      ))}
    </span>
  );
}

const reaches = (): Record<InvoiceStatus, string> => ({
  Draft: '',
  Open: t('It gets its number and is due in 14 days. What it says never changes after that.'),
  Paid: t('It is settled, and a subscription that waited for it is active again.'),
  Void: t('It is not to be paid. Its period can be billed again.'),
  Uncollectible: t('It is not expected to be paid any more.'),
});

function Move({ invoice, to, label, onDone, onClose }: Moving & { onDone: () => void; onClose: () => void }) {
  const move = async () => {
    await client.billing.moveInvoice({ params: { id: invoice.id }, body: { status: to } });
    onDone();
  };
  const title = t('{label}: invoice {number}?', { label, number: invoice.number });
  return (
    <Confirm title={title} action={label} danger={to !== 'Open' && to !== 'Paid'} onConfirm={move} onClose={onClose}>
      <p>
        {words(invoice.status)} → {words(to)}, {formatCost(invoice.totalUsd)}. {reaches()[to]}
      </p>
    </Confirm>
  );
}
