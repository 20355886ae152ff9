// Budgets of money and tokens: how far each is used, and what happens when it is spent.
import { useState } from 'react';
import type { AIBudgetDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatCost, formatDuration, formatShort, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useNews } from '../../state/news.ts';
import { useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Meter } from '../../ui/meter.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { actionWords, BudgetDialog } from './budget-dialog.tsx';

export function Budgets() {
  const list = useResource('budgets', () => client.aiBudgets.list({ query: { pageSize: 200 } }));
  useReloadOn(
    useNews('router', ({ type }) => type.startsWith('budget.')),
    list.reload,
  );
  // Each call changes what is spent; an event is published only when a limit is crossed.
  useEvery(list.reload);
  const [making, setMaking] = useState(false);
  const writable = may('AiRouterWrite');
  const make = writable && (
    <Button icon="plus" onClick={() => setMaking(true)}>
      {t('New budget')}
    </Button>
  );
  return (
    <div className="stack">
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No budgets yet')} action={make}>
              {t('A budget warns, downgrades to a cheaper route, or blocks calls when money or tokens are spent.')}
            </Empty>
          ) : (
            <>
              <div>{make}</div>
              <div className="cards-2">
                {items.map((one) => (
                  <Budget key={one.id} budget={one} onChange={list.reload} />
                ))}
              </div>
            </>
          )
        }
      </Loaded>
      {making && <BudgetDialog onClose={() => setMaking(false)} onDone={list.reload} />}
    </div>
  );
}

function Budget({ budget, onChange }: { budget: AIBudgetDto; onChange: () => void }) {
  const now = useNow();
  const { limitUsd, limitTokens, periodEndUtc } = budget;
  return (
    <section className="card" aria-label={budget.name}>
      <div className="card-head">
        <span className="row">
          <h2>{budget.name}</h2>
          <span className="muted small">{scopeOf(budget)}</span>
        </span>
        <State name={budget.enabled ? budget.state : 'Disabled'} />
      </div>
      <div className="card-body stack">
        {limitUsd !== null && <Meter label={t('Cost')} used={budget.spentUsd} limit={limitUsd} format={formatCost} />}
        {limitTokens !== null && (
          <Meter label={t('Tokens')} used={budget.usedTokens} limit={limitTokens} format={formatShort} />
        )}
        <p className="muted small">
          {t('{action} when exhausted; warns at {n} %.', {
            action: t(actionWords[budget.action]),
            n: budget.warnAtPercent,
          })}{' '}
          {periodEndUtc
            ? t('Counts per {period}; resets in {time}.', {
                period: words(budget.period).toLowerCase(),
                time: formatDuration(Date.parse(periodEndUtc) - now),
              })
            : t('Never resets by itself.')}
        </p>
        {may('AiRouterWrite') && <Actions budget={budget} onChange={onChange} />}
      </div>
    </section>
  );
}

function Actions({ budget, onChange }: { budget: AIBudgetDto; onChange: () => void }) {
  const [asking, setAsking] = useState<'edit' | 'reset' | 'delete' | null>(null);
  const close = () => setAsking(null);
  const params = { id: budget.id };
  return (
    <>
      <div className="row wrap">
        <Button size="small" icon="edit" onClick={() => setAsking('edit')}>
          {t('Change')}
        </Button>
        <Button size="small" onClick={() => setAsking('reset')}>
          {t('Reset')}
        </Button>
        <Button size="small" kind="danger" onClick={() => setAsking('delete')}>
          {t('Delete')}
        </Button>
      </div>
      {asking === 'edit' && <BudgetDialog budget={budget} onClose={close} onDone={onChange} />}
      {asking === 'reset' && (
        <Confirm
          title={t('Reset {name}?', { name: budget.name })}
          action={t('Reset')}
          danger={false}
          onConfirm={() => client.aiBudgets.patch({ params, body: { resetUsage: true } }).then(onChange)}
          onClose={close}
        >
          <p>{t('The amount spent in this period is set to zero; blocked calls are allowed again.')}</p>
        </Confirm>
      )}
      {asking === 'delete' && (
        <Confirm
          title={t('Delete the budget {name}?', { name: budget.name })}
          action={t('Delete')}
          onConfirm={() => client.aiBudgets.remove({ params }).then(onChange)}
          onClose={close}
        >
          <p>{t('Its limit no longer applies. Other budgets still do.')}</p>
        </Confirm>
      )}
    </>
  );
}

function scopeOf({ scope, scopeName, scopeKey, scopeId }: AIBudgetDto): string {
  if (scope === 'Tenant') return t('all calls');
  return `${words(scope)} ${scopeName ?? scopeKey ?? `#${scopeId}`}`;
}
