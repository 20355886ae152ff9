// Analytics: how many runs, at what cost, how fast and how well, by model and role.
import type { AgentAnalyticsMatrixRow, AgentAnalyticsSeriesPoint } from '../../../client/index.ts';
import { formatCost, formatDuration, formatNumber, formatPercent, formatShort, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useFreeModels } from '../../state/free-models.ts';
import { useResource } from '../../state/resource.ts';
import { costOfAll, type Spent, unpricedNote, unpricedOf } from '../../state/run-figures.ts';
import { Button } from '../../ui/button.tsx';
import { Figures } from '../../ui/figures.tsx';
import { type PlotOf, Plots } from '../../ui/plots.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';

const hourMs = 3_600_000;
const spans = {
  day: [86_400_000, 'Hour', '24 hours'],
  week: [604_800_000, 'Day', '7 days'],
  month: [2_592_000_000, 'Day', '30 days'],
} as const;
const groupings = { Model: 'By model', Role: 'By role', Status: 'By status' } as const;

/** A choice of several, as buttons; the URL holds it. */
function Choice<Key extends string>({
  label,
  name,
  chosen,
  options,
}: {
  label: string;
  name: string;
  chosen: Key;
  options: Record<Key, string>;
}) {
  return (
    <fieldset className="segments" aria-label={label}>
      {(Object.entries(options) as [Key, string][]).map(([key, text]) => (
        <Button key={key} size="small" pressed={key === chosen} onClick={() => patchQuery({ [name]: key })}>
          {t(text)}
        </Button>
      ))}
    </fieldset>
  );
}

const oneOf = <Key extends string>(
  options: Record<Key, unknown>,
  wanted: string | null,
  otherwise: NoInfer<Key>,
): Key => (wanted !== null && Object.hasOwn(options, wanted) ? (wanted as Key) : otherwise);

export function AnalyticsPage() {
  useFreeModels();
  const { query } = useLocation();
  const span = oneOf(spans, query.get('span'), 'week');
  const groupBy = oneOf(groupings, query.get('by'), 'Model');
  const [ms, bucket] = spans[span];
  const from = Date.now() - ms;
  const fromUtc = new Date(from).toISOString();
  const totals = useResource(`analytics ${span}`, () => client.agentAnalytics.totals({ query: { fromUtc } }));
  const series = useResource(`series ${span} ${groupBy}`, () =>
    client.agentAnalytics.timeseries({ query: { fromUtc, bucket, groupBy } }),
  );
  const matrix = useResource(`matrix ${span}`, () => client.agentAnalytics.matrix({ query: { fromUtc } }));
  const unpriced = unpricedOf(matrix.data?.map(spentOf) ?? []);
  const labels = Object.fromEntries(Object.entries(spans).map(([key, [, , text]]) => [key, text]));
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Analytics')}</h1>
        <Choice label={t('Period')} name="span" chosen={span} options={labels as Record<typeof span, string>} />
        <Choice label={t('Group by')} name="by" chosen={groupBy} options={groupings} />
      </div>
      <Loaded resource={totals} rows={2}>
        {(all) => (
          <Figures
            items={[
              [t('Runs'), formatNumber(all.totalRuns)],
              [t('Completed'), successOf(all)],
              [t('Failed'), formatNumber(all.failedRuns)],
              [t('Cost'), matrix.data ? costOfAll(matrix.data.map(spentOf)) : formatCost(all.totalCostUsd)],
              [t('Tokens per run'), formatShort(all.avgTokensUsed)],
              [t('Duration'), durationOf(all)],
              [t('Turns per run'), all.avgIterations.toFixed(1)],
            ]}
          />
        )}
      </Loaded>
      <Loaded resource={series}>
        {({ points }) =>
          points.length === 0 ? (
            <Empty title={t('No runs in this period')}>{t('Choose a longer period, or start a run.')}</Empty>
          ) : (
            <Plots
              points={points}
              span={{ from, bucket: bucket === 'Hour' ? hourMs : 24 * hourMs }}
              weight={(one) => one.totalRuns}
              unnamed={groupBy === 'Model' ? t('default model') : t('none')}
              plots={plots(unpriced)}
            />
          )
        }
      </Loaded>
      {matrix.data && matrix.data.length > 0 && <Matrix rows={matrix.data} />}
    </div>
  );
}

type Figured = Pick<AgentAnalyticsMatrixRow, 'completedRuns' | 'failedRuns' | 'successRate' | 'avgDurationMs'>;

/** What no run has ended yet has no share of success and no duration: neither is 0. */
const ofEnded = (text: (one: Figured) => string) => (one: Figured) =>
  one.completedRuns + one.failedRuns === 0 ? '–' : text(one);
const successOf = ofEnded((one) => formatPercent(one.successRate));
const durationOf = ofEnded((one) => formatDuration(one.avgDurationMs));

const spentOf = ({ totalCostUsd, avgTokensUsed, modelId }: AgentAnalyticsMatrixRow): Spent => ({
  usd: totalCostUsd,
  tokens: avgTokensUsed,
  modelId,
});

const plots = (unpriced: readonly string[]): readonly PlotOf<AgentAnalyticsSeriesPoint>[] => [
  { title: t('Runs'), label: t('Runs over time'), format: formatNumber, value: (one) => one.totalRuns },
  {
    title: t('Cost'),
    label: t('Cost over time'),
    format: formatCost,
    value: (one) => one.costUsd,
    lacks: ({ series }) => unpriced.includes(series ?? t('default model')),
    note: unpricedNote(unpriced),
    nothing: t('No costs in this period.'),
  },
  { title: t('Tokens'), label: t('Tokens over time'), format: formatShort, value: (one) => one.tokensUsed },
  {
    title: t('Success'),
    label: t('Share of completed runs'),
    kind: 'line',
    format: formatPercent,
    value: (one) => one.successRate,
  },
  {
    title: t('Duration'),
    label: t('Average duration'),
    kind: 'line',
    format: formatDuration,
    value: (one) => one.avgDurationMs,
  },
];

function Matrix({ rows }: { rows: AgentAnalyticsMatrixRow[] }) {
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('By model and role')}</h2>
      </div>
      <Table
        rows={rows}
        keyOf={(row) => `${row.modelId} ${row.role}`}
        columns={[
          { head: t('Model'), className: 'mono', cell: (row) => row.modelId ?? t('default model') },
          { head: t('Role'), cell: (row) => row.role ?? '–' },
          { head: t('Runs'), num: true, cell: (row) => formatNumber(row.totalRuns) },
          { head: t('Success'), num: true, cell: successOf },
          { head: t('Turns'), num: true, cell: (row) => row.avgIterations.toFixed(1) },
          { head: t('Tokens'), num: true, cell: (row) => formatShort(row.avgTokensUsed) },
          { head: t('Cost'), num: true, cell: (row) => costOfAll([spentOf(row)]) },
          { head: t('Duration'), num: true, cell: durationOf },
        ]}
      />
    </section>
  );
}
