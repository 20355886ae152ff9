// A unit at a glance: who manages it, what the reader is in it, how much is in it, and the units right below.
import { formatNumber, plural, t, words } from '../../base/i18n.ts';
import { href } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { FactGrid } from '../../ui/fact-grid.tsx';
import { Figures } from '../../ui/figures.tsx';
import { Loaded } from '../../ui/states.tsx';
import { BudgetMeters } from './budget.tsx';
import type { UnitProps } from './unit-props.ts';

export function Overview({ unit, path }: UnitProps) {
  const facts: (readonly [string, string])[] = [
    [t('Path'), unit.path],
    [t('Manager'), unit.managerName ?? t('nobody')],
    [t('You are here'), unit.callerRoleName ?? t('not a member')],
    ...(unit.costCenter ? [[t('Cost centre'), unit.costCenter] as const] : []),
  ];
  return (
    <div className="stack">
      {unit.description && <p>{unit.description}</p>}
      <FactGrid facts={facts} />
      <Figures
        items={[
          [t('Members'), formatNumber(unit.memberCount)],
          [t('Units right below'), formatNumber(unit.childCount)],
          [t('Projects'), formatNumber(unit.projectCount)],
          [t('Identities'), formatNumber(unit.identityCount)],
          [t('Connectors'), formatNumber(unit.connectorCount)],
          [t('Active runs'), formatNumber(unit.activeRunCount)],
          [t('Open invitations'), formatNumber(unit.pendingInviteCount)],
        ]}
      />
      {unit.budget && (
        <section className="card" aria-label={t('Budget')}>
          <div className="card-head">
            <h2>{t('Budget')}</h2>
            <a href={href(`/organisation/${unit.id}`, { tab: 'budget' })}>{t('More')}</a>
          </div>
          <div className="card-body stack">
            <BudgetMeters budget={unit.budget} path={path} />
          </div>
        </section>
      )}
      {unit.childCount > 0 && <Children id={unit.id} count={unit.childCount} />}
    </div>
  );
}

function Children({ id, count }: { id: number; count: number }) {
  const query = { includeInactive: true };
  const list = useResource(`children of unit ${id} ${count}`, () =>
    client.orgUnits.children({ params: { id }, query }),
  );
  return (
    <section className="card" aria-label={t('Units right below')}>
      <div className="card-head">
        <h2>{t('Units right below')}</h2>
      </div>
      <Loaded resource={list} rows={2}>
        {(units) => (
          <ul className="card-body plain-list">
            {units.map((one) => (
              <li key={one.id} className="row">
                <a className="grow" href={href(`/organisation/${one.id}`)}>
                  {one.name}
                </a>
                {!one.isActive && <span className="tag">{t('switched off')}</span>}
                <span className="muted small">
                  {words(one.kind)} · {plural(one.memberCount, '{n} member', '{n} members')}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}
