// The model gateway: providers and keys, models, routes with why they choose, health and use.

import { formatCost, formatNumber, formatShort, t, words } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { models } from '../../state/operations.ts';
import { useResource } from '../../state/resource.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { Providers } from './providers.tsx';
import { Routes } from './routes.tsx';
import { Usage } from './usage.tsx';

type TabKey = 'providers' | 'models' | 'routes' | 'usage' | 'calls';

export function ModelsPage() {
  const { query } = useLocation();
  const items: TabItem<TabKey>[] = [
    { key: 'providers', label: t('Providers') },
    ...(models.list.served ? [{ key: 'models' as const, label: t('Models') }] : []),
    ...(models.routes.served ? [{ key: 'routes' as const, label: t('Routes') }] : []),
    ...(models.usageSeries.served ? [{ key: 'usage' as const, label: t('Use and cost') }] : []),
    ...(models.calls.served ? [{ key: 'calls' as const, label: t('Calls') }] : []),
  ];
  const tab = items.find((item) => item.key === query.get('tab'))?.key ?? 'providers';
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Models')}</h1>
      </div>
      <Tabs
        label={t('Parts of the gateway')}
        items={items}
        active={tab}
        onChange={(key) => patchQuery({ tab: key === 'providers' ? null : key })}
      />
      {tab === 'providers' && <Providers />}
      {tab === 'models' && <ModelList />}
      {tab === 'routes' && <Routes />}
      {tab === 'usage' && <Usage />}
      {tab === 'calls' && <Calls />}
    </div>
  );
}

function ModelList() {
  const list = useResource('all models', () => models.list({ query: { pageSize: 200 } }));
  const price = (usd: number) => (usd === 0 ? t('free') : formatCost(usd));
  return (
    <Loaded resource={list}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title={t('No models yet')}>{t('Add a provider; its models appear here.')}</Empty>
        ) : (
          <div className="table-scroll">
            <table className="table">
              <thead>
                <tr>
                  <th>{t('Model')}</th>
                  <th>{t('State')}</th>
                  <th className="num">{t('Context')}</th>
                  <th className="num">{t('In, per million')}</th>
                  <th className="num">{t('Out, per million')}</th>
                  <th>{t('Can')}</th>
                </tr>
              </thead>
              <tbody>
                {items.map((one) => (
                  <tr key={one.id}>
                    <td>
                      <strong>{one.displayName}</strong>
                      <div className="mono small faint">{one.modelId}</div>
                    </td>
                    <td>
                      <State name={one.healthState} />
                    </td>
                    <td className="num">{formatShort(one.contextWindow)}</td>
                    <td className="num">{price(one.inputPricePerMTok)}</td>
                    <td className="num">{price(one.outputPricePerMTok)}</td>
                    <td>
                      {one.capabilities.map((name) => (
                        <span key={name} className="tag" style={{ marginRight: 4 }}>
                          {words(name)}
                        </span>
                      ))}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Loaded>
  );
}

function Calls() {
  const list = useResource('calls', () => models.calls({ query: { pageSize: 100, sort: '-createdAtUtc' } }));
  return (
    <Loaded resource={list}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title={t('No calls yet')} />
        ) : (
          <div className="table-scroll">
            <table className="table">
              <thead>
                <tr>
                  <th>{t('Model')}</th>
                  <th>{t('State')}</th>
                  <th>{t('For')}</th>
                  <th className="num">{t('In')}</th>
                  <th className="num">{t('Out')}</th>
                  <th className="num">{t('Cost')}</th>
                  <th className="num">{t('First word')}</th>
                  <th className="num">{t('All')}</th>
                </tr>
              </thead>
              <tbody>
                {items.map((one) => (
                  <tr key={one.id}>
                    <td className="mono">{one.modelId}</td>
                    <td>
                      <State name={one.status} />
                    </td>
                    <td>
                      {words(one.purpose)} {one.runId !== null && <a href={`#/runs/${one.runId}`}>#{one.runId}</a>}
                    </td>
                    <td className="num">{formatNumber(one.promptTokens)}</td>
                    <td className="num">{formatNumber(one.completionTokens)}</td>
                    <td className="num">{formatCost(one.costUsd)}</td>
                    <td className="num">
                      {one.timeToFirstTokenMs === null ? '–' : `${formatNumber(one.timeToFirstTokenMs)} ms`}
                    </td>
                    <td className="num">{formatNumber(one.latencyMs)} ms</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Loaded>
  );
}
