// The organisation: the tree of its units, with who is in each, what it costs, and how its budget stands.
import '../../styles/organisation.css';
import { type ReactNode, useState } from 'react';
import type { OrgUnitTreeNodeDto } from '../../../client/index.ts';
import { formatCost, formatNumber, plural, t, words } from '../../base/i18n.ts';
import { href, patchQuery, useLocation } from '../../base/router.ts';
import { may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useReloadOn } from '../../state/resource.ts';
import { linesOf, matching, type UnitLine } from '../../state/unit-lines.ts';
import { useUnits } from '../../state/units.ts';
import { Button } from '../../ui/button.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { NewUnitDialog } from './unit-dialog.tsx';

/** Deeper units are indented no further: a phone has no room for it. */
const mostIndents = 6;

const columns = (): Column<UnitLine<OrgUnitTreeNodeDto>>[] => [
  {
    head: t('Unit'),
    className: 'grow',
    cell: ({ unit, depth }) => (
      <span className="unit-name" data-depth={Math.min(depth, mostIndents)}>
        <span className="visually-hidden">{t('Level {n}:', { n: formatNumber(depth + 1) })}</span>
        <a href={href(`/organisation/${unit.id}`)}>
          {unit.name} <span className="faint">{unit.key}</span>
        </a>
        {!unit.isActive && <span className="tag">{t('switched off')}</span>}
      </span>
    ),
  },
  { head: t('Kind'), cell: ({ unit }) => words(unit.kind) },
  { head: t('Members'), num: true, cell: ({ unit }) => formatNumber(unit.memberCount) },
  { head: t('Projects'), num: true, cell: ({ unit }) => formatNumber(unit.projectCount) },
  { head: t('Cost this month'), num: true, cell: ({ unit }) => formatCost(unit.costUsdThisPeriod) },
  {
    head: t('Budget'),
    cell: ({ unit }) => (unit.budgetState ? <State name={unit.budgetState} /> : <span className="faint">–</span>),
  },
];

export function OrganisationPage() {
  const { query } = useLocation();
  const units = useUnits();
  useReloadOn(useNews('org-units'), units.reload);
  const [isNew, setNew] = useState(false);
  const q = query.get('q') ?? '';
  const make = may('OrgUnitsWrite') && (
    <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
      {t('New unit')}
    </Button>
  );
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Organisation')}</h1>
        {units.data && units.data.length > 0 && make}
      </div>
      <Loaded resource={units}>
        {(tree) => (tree.length === 0 ? <NoUnits make={make} /> : <Tree tree={tree} q={q} />)}
      </Loaded>
      {isNew && <NewUnitDialog onClose={() => setNew(false)} onDone={units.reload} />}
    </div>
  );
}

const NoUnits = ({ make }: { make: ReactNode }) => (
  <Empty title={t('No unit yet')} action={make}>
    {t(
      'Units are the companies, departments and teams that people and agents work for. Members of a unit work in its projects; its budget and its policy hold in all units below it.',
    )}
  </Empty>
);

function Tree({ tree, q }: { tree: readonly OrgUnitTreeNodeDto[]; q: string }) {
  const lines = linesOf(matching(tree, q));
  const all = linesOf(tree).length;
  return (
    <>
      <div className="filters">
        <SearchField label={t('Search units')} q={q} onSearch={(text) => patchQuery({ q: text })} />
        <span className="muted small" role="status">
          {q === ''
            ? plural(all, '{n} unit', '{n} units')
            : t('{n} of {all} units, with those above them', { n: formatNumber(lines.length), all: formatNumber(all) })}
        </span>
      </div>
      {lines.length === 0 ? (
        <Empty title={t('No unit matches')}>{t('Search for another name or key.')}</Empty>
      ) : (
        <Table columns={columns()} rows={lines} keyOf={({ unit }) => unit.id} />
      )}
      <p className="muted small">
        {t('The cost of a unit has that of the units below it; members and projects are its own.')}
      </p>
    </>
  );
}
