// Billing: the plan of the tenant and its period, what it has used, its invoices, and the plans to choose from.
import '../../styles/people.css';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Loaded } from '../../ui/states.tsx';
import { Invoices } from './invoices.tsx';
import { Plans } from './plans.tsx';
import { Subscription } from './subscription.tsx';
import { Usage } from './usage.tsx';

export function BillingPage() {
  const subscription = useKept(useResource('subscription', () => client.billing.subscription()));
  const usage = useKept(useResource('billing usage', () => client.billing.usage({ query: {} })));
  const news = useNews('billing');
  useReloadOn(news, subscription.reload);
  useReloadOn(news, usage.reload);
  const reload = () => {
    subscription.reload();
    usage.reload();
  };
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Billing')}</h1>
      </div>
      <div className="stack">
        <Loaded resource={subscription} rows={3}>
          {(known) => <Subscription subscription={known} onChanged={reload} />}
        </Loaded>
        <Loaded resource={usage} rows={8}>
          {(known) => <Usage usage={known} />}
        </Loaded>
        <Invoices news={news} />
        <Loaded resource={subscription} rows={2}>
          {(known) => <Plans subscription={known} news={news} onChanged={reload} />}
        </Loaded>
      </div>
    </div>
  );
}
