// What models were used for, what it cost and how fast they were.
import type { AIUsagePoint, AIUsageRow } from '../../../client/index.ts';
import { formatCost, formatNumber, formatShort, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useFreeModels } from '../../state/free-models.ts';
import { useResource } from '../../state/resource.ts';
import { costOfAll, type Spent, unpricedNote, unpricedOf } from '../../state/run-figures.ts';
import { Figures } from '../../ui/figures.tsx';
import { type PlotOf, Plots } from '../../ui/plots.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';

const days = 7;
const hourMs = 3_600_000;
const formatMs = (ms: number) => `${formatNumber(ms)} ms`;

const spentOf = ({ key, costUsd, promptTokens, completionTokens }: AIUsageRow): Spent => ({
  usd: costUsd,
  tokens: promptTokens + completionTokens,
  modelId: key,
});

const plots = (unpriced: readonly string[]): readonly PlotOf<AIUsagePoint>[] => [
  {
    title: t('Cost'),
    label: t('Cost over time'),
    format: formatCost,
    value: (one) => one.costUsd,
    lacks: ({ series }) => series !== null && unpriced.includes(series),
    note: unpricedNote(unpriced),
    nothing: t('No costs in this period.'),
  },
  { title: t('Calls'), label: t('Calls over time'), format: formatNumber, value: (one) => one.calls },
  { title: t('Tokens out'), label: t('Tokens over time'), format: formatShort, value: (one) => one.completionTokens },
  {
    title: t('Latency'),
    label: t('Average latency'),
    kind: 'line',
    format: formatMs,
    value: (one) => one.avgLatencyMs,
  },
];

export function Usage() {
  useFreeModels();
  const span = { from: Date.now() - days * 24 * hourMs, bucket: hourMs };
  const fromUtc = new Date(span.from).toISOString();
  const summary = useResource('usage', () => client.aiUsage.summary({ query: { fromUtc, groupBy: 'Model' } }));
  const series = useResource('usage series', () =>
    client.aiUsage.timeseries({ query: { fromUtc, bucket: 'Hour', groupBy: 'Model' } }),
  );
  const unpriced = unpricedOf(summary.data?.rows.map(spentOf) ?? []);
  return (
    <div className="stack">
      <Loaded resource={summary} rows={2}>
        {(all) => (
          <>
            <Figures
              items={[
                [t('Calls'), formatNumber(all.totalCalls)],
                [t('Failed'), formatNumber(all.failedCalls)],
                [t('Fallback'), formatNumber(all.fallbackCalls)],
                [t('Cost'), costOfAll(all.rows.map(spentOf))],
                [t('Tokens in'), formatShort(all.promptTokens)],
                [t('Tokens out'), formatShort(all.completionTokens)],
                [t('95th percentile'), formatMs(all.latencyP95Ms)],
              ]}
            />
            {all.rows.length > 0 && (
              <Table
                className="card"
                rows={all.rows}
                keyOf={(row) => row.key}
                columns={[
                  { head: t('Model'), className: 'mono', cell: (row) => row.label },
                  { head: t('Calls'), num: true, cell: (row) => formatNumber(row.calls) },
                  { head: t('Tokens in'), num: true, cell: (row) => formatShort(row.promptTokens) },
                  { head: t('Tokens out'), num: true, cell: (row) => formatShort(row.completionTokens) },
                  { head: t('Cost'), num: true, cell: (row) => costOfAll([spentOf(row)]) },
                  { head: t('Average'), num: true, cell: (row) => formatMs(row.avgLatencyMs) },
                ]}
              />
            )}
          </>
        )}
      </Loaded>
      <Loaded resource={series}>
        {({ points }) =>
          points.length === 0 ? (
            <Empty title={t('No calls in the last week')}>
              {t('Model calls of runs, chats and the API are counted here.')}
            </Empty>
          ) : (
            <Plots points={points} span={span} weight={(one) => one.calls} plots={plots(unpriced)} />
          )
        }
      </Loaded>
    </div>
  );
}
