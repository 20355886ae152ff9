// The subscription of the tenant: its plan, its period, how it stands, and whether it ends with the period.
import { useState } from 'react';
import type { BillingSubscriptionDto } from '../../../client/index.ts';
import { formatDay, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { FactGrid } from '../../ui/fact-grid.tsx';
import { State } from '../../ui/status.tsx';
import { useAction } from '../../ui/use-action.ts';

interface Props {
  subscription: BillingSubscriptionDto;
  onChanged: () => void;
}

export function Subscription({ subscription, onChanged }: Props) {
  const { planId, planName, status, cancelAtPeriodEnd, periodEndUtc } = subscription;
  const [ending, setEnding] = useState(false);
  const { busy, act } = useAction();
  const set = async (cancel: boolean) => {
    await client.billing.subscribe({ body: { planId, cancelAtPeriodEnd: cancel } });
    onChanged();
  };
  const isOwn = subscription.id !== 0 && status !== 'Cancelled';
  return (
    <section className="card" aria-labelledby="billing-plan">
      <div className="card-head">
        <h2 id="billing-plan">{planName}</h2>
        <State name={status} />
        {may('BillingWrite') && isOwn && (
          <>
            <span className="grow" />
            {cancelAtPeriodEnd ? (
              <Button disabled={busy} onClick={() => void act(() => set(false))}>
                {t('Keep the subscription')}
              </Button>
            ) : (
              <Button onClick={() => setEnding(true)}>{t('Cancel the subscription')}</Button>
            )}
          </>
        )}
      </div>
      <div className="card-body stack">
        <p>{standingOf(subscription)}</p>
        <FactGrid facts={factsOf(subscription)} />
      </div>
      {ending && (
        <Confirm
          title={t('Cancel the plan {name}?', { name: planName })}
          action={t('Cancel the subscription')}
          onConfirm={() => set(true)}
          onClose={() => setEnding(false)}
        >
          <p>
            {t('It goes on until {date}. Then no new work begins; everything can still be read.', {
              date: formatDay(periodEndUtc),
            })}
          </p>
        </Confirm>
      )}
    </section>
  );
}

function standingOf({ id, status, cancelAtPeriodEnd, periodEndUtc, trialEndsAtUtc }: BillingSubscriptionDto): string {
  if (status === 'Suspended') return t('An invoice was not paid in time: no new work begins until it is.');
  if (status === 'Cancelled') return t('No new work begins until a plan is chosen. Everything can still be read.');
  if (status === 'PastDue') return t('An invoice is overdue. Pay it, or the subscription is suspended.');
  if (cancelAtPeriodEnd) return t('It ends on {date}.', { date: formatDay(periodEndUtc) });
  if (status === 'Trialing' && trialEndsAtUtc)
    return t('The trial ends on {date}; nothing is billed until then.', { date: formatDay(trialEndsAtUtc) });
  return id === 0 ? t('Nobody has chosen a plan for this tenant.') : t('It is renewed when its period ends.');
}

function factsOf(subscription: BillingSubscriptionDto): [string, string][] {
  const { periodStartUtc, periodEndUtc, billingAnchorDay, lastPaymentAtUtc, nextPlanId } = subscription;
  return [
    [t('Period from'), formatDay(periodStartUtc)],
    [t('until'), formatDay(periodEndUtc)],
    [t('Day of the month'), String(billingAnchorDay)],
    [t('Last payment'), lastPaymentAtUtc ? formatDay(lastPaymentAtUtc) : t('none yet')],
    ...(nextPlanId === null ? [] : [[t('Plan from the next period on'), `#${nextPlanId}`] as [string, string]]),
  ];
}
