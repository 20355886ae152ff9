// The audit log: who did or tried what, found by words, kind, outcome and time; and whether its chain still holds.
import '../../styles/settings.css';
import type { AuditEventDto } from '../../../client/index.ts';
import { allOr, formatDate, t, words } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { EntryDialog } from './entry-dialog.tsx';
import { categories, filterOf, outcomes } from './filter.ts';
import { Outcome } from './outcome.tsx';
import { VerifyChain } from './verify-chain.tsx';

const pageSize = 50;
export function AuditPage() {
  const { query } = useLocation();
  const filter = filterOf(query);
  const page = pageIn(query);
  const list = useKept(
    useResource(`audit ${JSON.stringify(filter.asked)} ${page}`, () =>
      client.auditEvents.list({ query: { pageSize, page, ...filter.asked } }),
    ),
  );
  const open = Number(query.get('entry')) || null;
  const isNarrowed = Object.keys(filter.asked).length > 0;
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Audit log')}</h1>
        {may('SystemWrite') && <VerifyChain />}
      </div>
      <Filters {...filter} />
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={isNarrowed ? t('No entry matches') : t('No entries yet')}>
              {isNarrowed
                ? t('Choose another period or outcome, or search for other words.')
                : t('Every change and every denied attempt is recorded here.')}
            </Empty>
          ) : (
            <>
              <Table rows={found.items} keyOf={({ id }) => id} columns={columns()} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {open !== null && <EntryDialog id={open} onClose={() => patchQuery({ entry: null })} />}
    </div>
  );
}

function Filters({ q, from, to, category, outcome }: ReturnType<typeof filterOf>) {
  const choose = (name: string) => (value: string) => patchQuery({ [name]: value, page: null });
  return (
    <div className="row wrap end audit-filters">
      <SearchField label={t('Search the audit log')} q={q} onSearch={choose('q')} />
      <SelectField
        label={t('Category')}
        value={category ?? ''}
        onChange={choose('category')}
        options={allOr(categories)}
      />
      <SelectField label={t('Outcome')} value={outcome ?? ''} onChange={choose('outcome')} options={allOr(outcomes)} />
      <TextField label={t('From')} type="date" value={from} onChange={choose('from')} />
      <TextField label={t('To')} type="date" value={to} onChange={choose('to')} />
    </div>
  );
}

const columns = (): Column<AuditEventDto>[] => [
  {
    head: t('Action'),
    cell: (one) => (
      <button type="button" className="link" onClick={() => patchQuery({ entry: one.id })}>
        {one.action}
      </button>
    ),
  },
  { head: t('Category'), cell: (one) => words(one.category) },
  { head: t('Outcome'), cell: (one) => <Outcome outcome={one.outcome} /> },
  { head: t('Actor'), cell: (one) => one.actorName ?? words(one.actorKind) },
  {
    head: t('Target'),
    className: 'breaks',
    cell: (one) =>
      [one.targetKind, one.targetName ?? (one.targetId === null ? '' : `#${one.targetId}`)].filter(Boolean).join(' ') ||
      '–',
  },
  { head: t('Time'), className: 'small nowrap', cell: (one) => formatDate(one.createdAtUtc) },
];
