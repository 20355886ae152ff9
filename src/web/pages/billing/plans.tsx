// The plans that a tenant chooses from; the operator makes them, changes them and retires them.
import { useState } from 'react';
import type { BillingPlanDto, BillingSubscriptionDto, PlanQuotaDto } from '../../../client/index.ts';
import { formatCost, formatShort, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { PlanDialog } from './plan-dialog.tsx';

interface Props {
  subscription: BillingSubscriptionDto;
  news: number;
  onChanged: () => void;
}

export function Plans({ subscription, news, onChanged }: Props) {
  const isOperator = subscription.managesPlans;
  const plans = useKept(
    useResource(`plans ${isOperator}`, () => client.billing.plans({ query: { includeInactive: isOperator } })),
  );
  useReloadOn(news, plans.reload);
  const [edited, setEdited] = useState<BillingPlanDto | 'new' | null>(null);
  const [chosen, setChosen] = useState<BillingPlanDto | null>(null);
  const mayMake = isOperator && may('BillingWrite');
  return (
    <section className="card" aria-labelledby="billing-plans">
      <div className="card-head">
        <h2 id="billing-plans">{t('Plans')}</h2>
        <span className="grow" />
        {mayMake && (
          <Button kind="primary" icon="plus" onClick={() => setEdited('new')}>
            {t('New plan')}
          </Button>
        )}
      </div>
      <Loaded resource={plans} rows={3}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={t('No plans yet')}>
              {t('Without plans everybody has everything, without a price and without limits.')}
            </Empty>
          ) : (
            <Table
              rows={all}
              keyOf={({ id }) => id}
              columns={columns({ subscription, onChoose: setChosen, onEdit: mayMake ? setEdited : null })}
            />
          )
        }
      </Loaded>
      {edited && (
        <PlanDialog
          {...(edited === 'new' ? {} : { plan: edited })}
          onClose={() => setEdited(null)}
          onDone={plans.reload}
        />
      )}
      {chosen && <Choose plan={chosen} onDone={onChanged} onClose={() => setChosen(null)} />}
    </section>
  );
}

interface Acts {
  subscription: BillingSubscriptionDto;
  onChoose: (plan: BillingPlanDto) => void;
  onEdit: ((plan: BillingPlanDto) => void) | null;
}

const columns = ({ subscription, onChoose, onEdit }: Acts): Column<BillingPlanDto>[] => [
  {
    head: t('Plan'),
    className: 'wide',
    cell: (plan) => (
      <>
        <span className="row wrap">
          <strong>{plan.name}</strong>
          {plan.id === subscription.planId && <Tag>{t('yours')}</Tag>}
          {plan.id === subscription.nextPlanId && <Tag>{t('from the next period on')}</Tag>}
          {plan.isDefault && <Tag>{t('default')}</Tag>}
          {!plan.isActive && <Tag>{t('retired')}</Tag>}
        </span>
        {plan.description && <div className="small muted">{plan.description}</div>}
      </>
    ),
  },
  { head: t('A month'), num: true, cell: ({ monthlyPriceUsd }) => formatCost(monthlyPriceUsd) },
  {
    head: t('Quotas'),
    cell: ({ quotas }) =>
      quotas.length === 0 ? (
        t('none')
      ) : (
        <ul className="plain-list small">
          {quotas.map((quota) => (
            <li key={quota.meter}>{quotaText(quota)}</li>
          ))}
        </ul>
      ),
  },
  {
    head: '',
    num: true,
    cell: (plan) => (
      <span className="row wrap">
        {may('BillingWrite') && plan.isActive && plan.id !== subscription.planId && (
          <Button size="small" onClick={() => onChoose(plan)}>
            {t('Choose')}
          </Button>
        )}
        {onEdit && (
          <Button size="small" icon="edit" onClick={() => onEdit(plan)}>
            {t('Change')}
          </Button>
        )}
      </span>
    ),
  },
];

const Tag = ({ children }: { children: string }) => <span className="tag">{children}</span>;

function quotaText({ meter, included, limit, overagePriceUsd, hardLimit }: PlanQuotaDto): string {
  const parts = [
    t('{n} included', { n: formatShort(included) }),
    ...(overagePriceUsd === null ? [] : [t('{price} US dollars for each above', { price: overagePriceUsd })]),
    ...(limit === null
      ? []
      : [hardLimit ? t('no more than {n}', { n: formatShort(limit) }) : t('limit {n}', { n: formatShort(limit) })]),
  ];
  return `${words(meter)}: ${parts.join(', ')}`;
}

function Choose({ plan, onDone, onClose }: { plan: BillingPlanDto; onDone: () => void; onClose: () => void }) {
  const choose = async () => {
    await client.billing.subscribe({ body: { planId: plan.id } });
    onDone();
  };
  return (
    <Confirm
      title={t('Choose the plan {name}?', { name: plan.name })}
      action={t('Choose')}
      danger={false}
      onConfirm={choose}
      onClose={onClose}
    >
      <p>
        {t('{price} a month. A cheaper plan than the present one holds from the next period on.', {
          price: formatCost(plan.monthlyPriceUsd),
        })}
      </p>
    </Confirm>
  );
}
