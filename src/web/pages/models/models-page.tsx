// The model gateway: providers and keys, models, routes with why they choose, budgets, use, and a place to try them.
import type { AIModelDto } from '../../../client/index.ts';
import { formatCost, formatShort, t, words } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { isScripted } from '../../state/run-figures.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { Budgets } from './budgets.tsx';
import { Calls } from './calls.tsx';
import { Embeddings } from './embeddings.tsx';
import { Playground } from './playground.tsx';
import { Providers } from './providers.tsx';
import { Routes } from './routes.tsx';
import { RouterSettings } from './settings.tsx';
import { Usage } from './usage.tsx';

type TabKey = 'providers' | 'models' | 'routes' | 'budgets' | 'usage' | 'calls' | 'try' | 'settings';

export function ModelsPage() {
  const { query } = useLocation();
  const items: TabItem<TabKey>[] = [
    { key: 'providers', label: t('Providers') },
    { key: 'models', label: t('Models') },
    { key: 'routes', label: t('Routes') },
    { key: 'budgets', label: t('Budgets') },
    { key: 'usage', label: t('Usage') },
    { key: 'calls', label: t('Calls') },
    ...(may('AiRouterUse') ? [{ key: 'try' as const, label: t('Playground') }] : []),
    { key: 'settings', label: t('Settings') },
  ];
  const tab = items.find((item) => item.key === query.get('tab'))?.key ?? 'providers';
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Models')}</h1>
      </div>
      <Tabs
        label={t('Gateway sections')}
        items={items}
        active={tab}
        onChange={(key) => patchQuery({ tab: key === 'providers' ? null : key })}
      />
      {tab === 'providers' && <Providers />}
      {tab === 'models' && <ModelList />}
      {tab === 'routes' && <Routes />}
      {tab === 'usage' && <Usage />}
      {tab === 'budgets' && <Budgets />}
      {tab === 'calls' && <Calls />}
      {tab === 'try' && (
        <>
          <Playground />
          <Embeddings />
        </>
      )}
      {tab === 'settings' && <RouterSettings />}
    </div>
  );
}

function ModelList() {
  const list = useResource('all models', () => client.aiModels.list({ query: { pageSize: 200 } }));
  const price = (one: AIModelDto, usd: number) => {
    if (isScripted(one.modelId)) return t('scripted');
    if (!one.priceKnown) return t('no price known');
    return usd === 0 ? t('free') : formatCost(usd);
  };
  return (
    <Loaded resource={list}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title={t('No models yet')}>{t('Connect a provider; its models appear here.')}</Empty>
        ) : (
          <Table
            rows={items}
            keyOf={(one) => one.id}
            columns={[
              {
                head: t('Model'),
                cell: (one) => (
                  <>
                    <strong>{one.displayName}</strong>
                    {one.displayName !== one.modelId && <div className="mono small faint">{one.modelId}</div>}
                  </>
                ),
              },
              { head: t('Status'), cell: (one) => <State name={one.healthState} /> },
              {
                head: t('Context'),
                num: true,
                cell: (one) => (one.contextWindow > 0 ? formatShort(one.contextWindow) : t('unknown')),
              },
              { head: t('Input / 1M tokens'), num: true, cell: (one) => price(one, one.inputPricePerMTok) },
              { head: t('Output / 1M tokens'), num: true, cell: (one) => price(one, one.outputPricePerMTok) },
              {
                head: t('Capabilities'),
                cell: (one) =>
                  one.capabilities.map((name) => (
                    <span key={name} className="tag" style={{ marginRight: 4 }}>
                      {words(name)}
                    </span>
                  )),
              },
            ]}
          />
        )
      }
    </Loaded>
  );
}
