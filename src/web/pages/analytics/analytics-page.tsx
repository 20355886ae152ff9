// Analytics: how many runs, at what cost, how fast and how well, by model and role.
import { formatCost, formatDuration, formatNumber, formatPercent, formatShort, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { analytics } from '../../state/operations.ts';
import { useResource } from '../../state/resource.ts';
import type { AgentAnalyticsSeriesPoint } from '../../state/wire/runs.ts';
import { Button } from '../../ui/button.tsx';
import { Plot, type Series } from '../../ui/plot.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';

const spans = {
  day: [86_400_000, 'Hour', '24 hours'],
  week: [604_800_000, 'Day', '7 days'],
  month: [2_592_000_000, 'Day', '30 days'],
} as const;
type SpanKey = keyof typeof spans;
const groupings = [
  ['Model', 'By model'],
  ['Role', 'By role'],
  ['Status', 'By state'],
] as const;

/** One line a series, from points that name theirs. */
function seriesOf(points: AgentAnalyticsSeriesPoint[], value: (point: AgentAnalyticsSeriesPoint) => number): Series[] {
  const groups = Map.groupBy(points, (point) => point.series ?? t('all'));
  return Array.from(groups, ([name, own]) => ({
    name,
    points: own.map((point) => ({ at: Date.parse(point.bucketStartUtc), value: value(point) })),
  }));
}

export function AnalyticsPage() {
  const { query } = useLocation();
  const span = (query.get('span') ?? 'week') as SpanKey;
  const by = query.get('by') ?? 'Model';
  const [ms, bucket] = spans[span] ?? spans.week;
  // Rounded to the minute, so that the key does not change with every render.
  const fromUtc = new Date(Math.floor((Date.now() - ms) / 60_000) * 60_000).toISOString();
  const key = `${span} ${by}`;
  const summary = useResource(`analytics ${span}`, () => analytics.summary({ query: { fromUtc } }));
  const series = useResource(`series ${key}`, () => analytics.series({ query: { fromUtc, bucket, groupBy: by } }));
  const matrix = useResource(analytics.matrix.served ? `matrix ${span}` : null, () =>
    analytics.matrix({ query: { fromUtc } }),
  );
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Analytics')}</h1>
        <fieldset className="segments" aria-label={t('Span')}>
          {Object.entries(spans).map(([name, [, , label]]) => (
            <Button key={name} size="small" pressed={span === name} onClick={() => patchQuery({ span: name })}>
              {t(label)}
            </Button>
          ))}
        </fieldset>
        <fieldset className="segments" aria-label={t('Grouping')}>
          {groupings.map(([name, label]) => (
            <Button key={name} size="small" pressed={by === name} onClick={() => patchQuery({ by: name })}>
              {t(label)}
            </Button>
          ))}
        </fieldset>
      </div>
      <Loaded resource={summary} rows={2}>
        {(all) => (
          <dl className="figures">
            {(
              [
                ['Runs', formatNumber(all.totalRuns)],
                ['Completed', formatPercent(all.successRate)],
                ['Failed', formatNumber(all.failedRuns)],
                ['Cost', formatCost(all.totalCostUsd)],
                ['Tokens a run', formatShort(all.avgTokensUsed)],
                ['Takes', formatDuration(all.avgDurationMs)],
                ['Turns a run', all.avgIterations.toFixed(1)],
              ] as const
            ).map(([name, value]) => (
              <div key={name} className="figure">
                <dt>{t(name)}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </Loaded>
      <Loaded resource={series}>
        {({ points }) =>
          points.length === 0 ? (
            <Empty title={t('Nothing ran in this span')} />
          ) : (
            <div className="cards-2">
              <PlotCard title={t('Runs')}>
                <Plot
                  label={t('Runs over time')}
                  kind="bar"
                  format={formatNumber}
                  series={seriesOf(points, (one) => one.totalRuns)}
                />
              </PlotCard>
              <PlotCard title={t('Cost')}>
                <Plot
                  label={t('Cost over time')}
                  kind="bar"
                  format={formatCost}
                  series={seriesOf(points, (one) => one.costUsd)}
                />
              </PlotCard>
              <PlotCard title={t('Tokens')}>
                <Plot
                  label={t('Tokens over time')}
                  kind="bar"
                  format={formatShort}
                  series={seriesOf(points, (one) => one.tokensUsed)}
                />
              </PlotCard>
              <PlotCard title={t('Success')}>
                <Plot
                  label={t('Share of completed runs')}
                  format={formatPercent}
                  series={seriesOf(points, (one) => one.successRate)}
                />
              </PlotCard>
              <PlotCard title={t('Duration')}>
                <Plot
                  label={t('Average duration')}
                  format={formatDuration}
                  series={seriesOf(points, (one) => one.avgDurationMs)}
                />
              </PlotCard>
            </div>
          )
        }
      </Loaded>
      {matrix.data && matrix.data.length > 0 && (
        <section className="card">
          <div className="card-head">
            <h2>{t('By model and role')}</h2>
          </div>
          <div className="table-scroll">
            <table className="table">
              <thead>
                <tr>
                  <th>{t('Model')}</th>
                  <th>{t('Role')}</th>
                  <th className="num">{t('Runs')}</th>
                  <th className="num">{t('Success')}</th>
                  <th className="num">{t('Turns')}</th>
                  <th className="num">{t('Tokens')}</th>
                  <th className="num">{t('Cost')}</th>
                  <th className="num">{t('Takes')}</th>
                </tr>
              </thead>
              <tbody>
                {matrix.data.map((row) => (
                  <tr key={`${row.modelId} ${row.role}`}>
                    <td className="mono">{row.modelId ?? '–'}</td>
                    <td>{row.role ?? '–'}</td>
                    <td className="num">{formatNumber(row.totalRuns)}</td>
                    <td className="num">{formatPercent(row.successRate)}</td>
                    <td className="num">{row.avgIterations.toFixed(1)}</td>
                    <td className="num">{formatShort(row.avgTokensUsed)}</td>
                    <td className="num">{formatCost(row.totalCostUsd)}</td>
                    <td className="num">{formatDuration(row.avgDurationMs)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
    </div>
  );
}

export function PlotCard({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section className="card">
      <div className="card-head">
        <h2>{title}</h2>
      </div>
      <div className="card-body">{children}</div>
    </section>
  );
}
