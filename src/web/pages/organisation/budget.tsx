// The budget of a unit: its own limits and how far they are used, and what the units above leave of theirs.
import { useState } from 'react';
import type { OrgUnitBudgetDto, OrgUnitDto } from '../../../client/index.ts';
import { formatCost, formatDate, formatShort, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { FactGrid } from '../../ui/fact-grid.tsx';
import { Meter } from '../../ui/meter.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { actionWords } from '../models/budget-dialog.tsx';
import { BudgetDialog } from './budget-dialog.tsx';
import { nameOn, type UnitProps } from './unit-props.ts';

export function UnitBudget({ unit, path, onChange }: UnitProps) {
  const params = { id: unit.id };
  const budget = useResource(`budget of unit ${unit.id}`, () => client.orgUnits.budget({ params }));
  const [asked, setAsked] = useState<'set' | 'remove' | null>(null);
  const changed = () => {
    budget.reload();
    onChange();
  };
  const remove = async ({ period }: OrgUnitBudgetDto) => {
    await client.orgUnits.setBudget({ params, body: { period, limitUsd: null, limitTokens: null } });
    changed();
  };
  const mayChange = may('OrgUnitsWrite');
  const set = mayChange && (
    <Button icon="edit" onClick={() => setAsked('set')}>
      {unit.budget ? t('Change the budget') : t('Set a budget')}
    </Button>
  );
  return (
    <Loaded resource={budget} rows={4}>
      {(one) => (
        <div className="stack">
          {one.budgetId === null ? (
            <>
              <Empty title={t('No budget of its own')} action={set}>
                {t('A budget limits what the unit and the units below it spend in a period.')}
              </Empty>
              <Unlimited budget={one} path={path} />
            </>
          ) : (
            <section className="card" aria-label={t('Budget')}>
              <div className="card-head">
                <h2>{t('Budget')}</h2>
                <State name={one.enabled ? one.state : 'Disabled'} />
              </div>
              <div className="card-body stack">
                <BudgetMeters budget={one} path={path} />
                <FactGrid facts={factsOf(one)} />
                {mayChange && (
                  <div className="row wrap">
                    {set}
                    <Button kind="danger" onClick={() => setAsked('remove')}>
                      {t('Remove the budget')}
                    </Button>
                  </div>
                )}
              </div>
            </section>
          )}
          {asked === 'set' && <BudgetDialog unit={unit} budget={one} onClose={() => setAsked(null)} onDone={changed} />}
          {asked === 'remove' && (
            <Confirm
              title={t('Remove the budget of {name}?', { name: unit.name })}
              action={t('Remove')}
              onConfirm={() => remove(one)}
              onClose={() => setAsked(null)}
            >
              <p>{t('Its limits no longer apply. The budgets of the units above still do.')}</p>
            </Confirm>
          )}
        </div>
      )}
    </Loaded>
  );
}

interface MetersProps {
  budget: OrgUnitBudgetDto;
  path: readonly OrgUnitDto[];
}

/** How far the limits are used, and what can still be spent. */
export function BudgetMeters({ budget, path }: MetersProps) {
  const { limitUsd, limitTokens } = budget;
  return (
    <>
      {limitUsd !== null && <Meter label={t('Cost')} used={budget.spentUsd} limit={limitUsd} format={formatCost} />}
      {limitTokens !== null && (
        <Meter label={t('Tokens')} used={budget.usedTokens} limit={limitTokens} format={formatShort} />
      )}
      <Left budget={budget} path={path} />
    </>
  );
}

/** What the tightest of all budgets that count the unit leaves, and whose that is. */
function Left({ budget, path }: MetersProps) {
  const { effectiveRemainingUsd: left, constrainedByOrgUnitId: by, orgUnitId } = budget;
  if (left === null || by === null) return null;
  const values = { left: formatCost(left), unit: nameOn(path, by) };
  return (
    <p>
      {by === orgUnitId
        ? t('{left} can still be spent: this budget is the tightest.', values)
        : t('{left} can still be spent: the budget of {unit} above is the tightest.', values)}
    </p>
  );
}

function Unlimited({ budget, path }: MetersProps) {
  return (
    <div className="stack tight">
      <Left budget={budget} path={path} />
      <p className="muted">
        {t('{cost} and {tokens} tokens since {date}, with the units below.', {
          cost: formatCost(budget.spentUsd),
          tokens: formatShort(budget.usedTokens),
          date: formatDate(budget.periodStartUtc),
        })}
      </p>
    </div>
  );
}

const factsOf = (one: OrgUnitBudgetDto): (readonly [string, string])[] => [
  [t('Period'), words(one.period)],
  [t('Began'), formatDate(one.periodStartUtc)],
  [t('Starts anew'), one.periodEndUtc ? formatDate(one.periodEndUtc) : t('never')],
  [t('When exhausted'), t(actionWords[one.action])],
  [t('Warns at'), t('{n} %', { n: one.warnAtPercent })],
  [t('Counts'), one.includeDescendants ? t('this unit and those below') : t('this unit alone')],
];
