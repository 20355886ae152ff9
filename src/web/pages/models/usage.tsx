// What models were used for, what it cost and how fast they were.
import { formatCost, formatNumber, formatShort, t } from '../../base/i18n.ts';
import { models } from '../../state/operations.ts';
import { useResource } from '../../state/resource.ts';
import type { AIUsagePoint } from '../../state/wire/models.ts';
import { Plot, type Series } from '../../ui/plot.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { PlotCard } from '../analytics/analytics-page.tsx';

const days = 7;

function seriesOf(points: AIUsagePoint[], value: (point: AIUsagePoint) => number): Series[] {
  const groups = Map.groupBy(points, (point) => point.series ?? t('all'));
  return Array.from(groups, ([name, own]) => ({
    name,
    points: own.map((point) => ({ at: Date.parse(point.bucketStartUtc), value: value(point) })),
  }));
}

export function Usage() {
  const fromUtc = new Date(Math.floor((Date.now() - days * 86_400_000) / 60_000) * 60_000).toISOString();
  const summary = useResource('usage', () => models.usage({ query: { fromUtc, groupBy: 'Model' } }));
  const series = useResource('usage series', () =>
    models.usageSeries({ query: { fromUtc, bucket: 'Hour', groupBy: 'Model' } }),
  );
  return (
    <div className="stack">
      <Loaded resource={summary} rows={2}>
        {(all) => (
          <>
            <dl className="figures">
              {(
                [
                  ['Calls', formatNumber(all.totalCalls)],
                  ['Failed', formatNumber(all.failedCalls)],
                  ['Fell back', formatNumber(all.fallbackCalls)],
                  ['Cost', formatCost(all.costUsd)],
                  ['Tokens in', formatShort(all.promptTokens)],
                  ['Tokens out', formatShort(all.completionTokens)],
                  ['95 % within', `${formatNumber(all.latencyP95Ms)} ms`],
                ] as const
              ).map(([name, value]) => (
                <div key={name} className="figure">
                  <dt>{t(name)}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
            {all.rows.length > 0 && (
              <div className="table-scroll card">
                <table className="table">
                  <thead>
                    <tr>
                      <th>{t('Model')}</th>
                      <th className="num">{t('Calls')}</th>
                      <th className="num">{t('Tokens in')}</th>
                      <th className="num">{t('Tokens out')}</th>
                      <th className="num">{t('Cost')}</th>
                      <th className="num">{t('Average')}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {all.rows.map((row) => (
                      <tr key={row.key}>
                        <td className="mono">{row.label}</td>
                        <td className="num">{formatNumber(row.calls)}</td>
                        <td className="num">{formatShort(row.promptTokens)}</td>
                        <td className="num">{formatShort(row.completionTokens)}</td>
                        <td className="num">{formatCost(row.costUsd)}</td>
                        <td className="num">{formatNumber(row.avgLatencyMs)} ms</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </>
        )}
      </Loaded>
      <Loaded resource={series}>
        {({ points }) =>
          points.length === 0 ? (
            <Empty title={t('No calls in the last week')} />
          ) : (
            <div className="cards-2">
              <PlotCard title={t('Cost')}>
                <Plot
                  label={t('Cost over time')}
                  kind="bar"
                  format={formatCost}
                  series={seriesOf(points, (one) => one.costUsd)}
                />
              </PlotCard>
              <PlotCard title={t('Tokens out')}>
                <Plot
                  label={t('Tokens over time')}
                  kind="bar"
                  format={formatShort}
                  series={seriesOf(points, (one) => one.completionTokens)}
                />
              </PlotCard>
              <PlotCard title={t('Latency')}>
                <Plot
                  label={t('Average latency')}
                  format={(ms) => `${formatNumber(ms)} ms`}
                  series={seriesOf(points, (one) => one.avgLatencyMs)}
                />
              </PlotCard>
            </div>
          )
        }
      </Loaded>
    </div>
  );
}
