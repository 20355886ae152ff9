// What models were used for, what it cost and how fast they were.
import type { AIUsagePoint, AIUsageRow } from '../../../client/index.ts';
import { formatCost, formatNumber, formatShort, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useFreeModels } from '../../state/free-models.ts';
import { useResource } from '../../state/resource.ts';
import { costOfAll, type Spent, unpricedNote, unpricedOf } from '../../state/run-figures.ts';
import { useUnitOptions } from '../../state/units.ts';
import { SelectField } from '../../ui/field.tsx';
import { Figures } from '../../ui/figures.tsx';
import { type PlotOf, Plots } from '../../ui/plots.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';

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
  const { query } = useLocation();
  const units = useUnitOptions(t('All units'));
  const unit = units?.find(([id]) => id !== '' && id === query.get('unit'))?.[0] ?? '';
  const isByUnit = units !== null && query.get('by') === 'unit';
  const groupBy = isByUnit ? ('OrgUnit' as const) : ('Model' as const);
  const span = { from: Date.now() - days * 24 * hourMs, bucket: hourMs };
  const what = { fromUtc: new Date(span.from).toISOString(), groupBy, ...(unit && { orgUnitId: Number(unit) }) };
  const summary = useResource(`usage ${groupBy} ${unit}`, () => client.aiUsage.summary({ query: what }));
  const series = useResource(`usage series ${groupBy} ${unit}`, () =>
    client.aiUsage.timeseries({ query: { ...what, bucket: 'Hour' } }),
  );
  const unpriced = isByUnit ? [] : unpricedOf(summary.data?.rows.map(spentOf) ?? []);
  return (
    <div className="stack">
      {units && <UnitFilters units={units} unit={unit} isByUnit={isByUnit} />}
      <Loaded resource={summary} rows={2}>
        {(all) => (
          <>
            <Figures
              items={[
                [t('Calls'), formatNumber(all.totalCalls)],
                [t('Failed'), formatNumber(all.failedCalls)],
                [t('Fallback'), formatNumber(all.fallbackCalls)],
                [t('Cost'), isByUnit ? formatCost(all.costUsd) : costOfAll(all.rows.map(spentOf))],
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
                  isByUnit
                    ? { head: t('Unit'), cell: (row) => (row.key === '' ? t('none') : row.label) }
                    : { head: t('Model'), className: 'mono', cell: (row) => row.label },
                  { head: t('Calls'), num: true, cell: (row) => formatNumber(row.calls) },
                  { head: t('Tokens in'), num: true, cell: (row) => formatShort(row.promptTokens) },
                  { head: t('Tokens out'), num: true, cell: (row) => formatShort(row.completionTokens) },
                  {
                    head: t('Cost'),
                    num: true,
                    cell: (row) => (isByUnit ? formatCost(row.costUsd) : costOfAll([spentOf(row)])),
                  },
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

interface FilterProps {
  units: readonly (readonly [id: string, path: string])[];
  unit: string;
  isByUnit: boolean;
}

/** Whose calls are counted, and by what; the URL holds both. */
const UnitFilters = ({ units, unit, isByUnit }: FilterProps) => (
  <div className="filters">
    <SelectField
      label={t('Organisation unit')}
      value={unit}
      onChange={(id) => patchQuery({ unit: id })}
      options={units}
    />
    <UrlChoice
      label={t('Group by')}
      name="by"
      chosen={isByUnit ? 'unit' : 'model'}
      options={[
        ['model', t('By model')],
        ['unit', t('By unit')],
      ]}
    />
  </div>
);
