// What a unit and those below it have used in the last 30 days: runs, calls, tokens and cost, over time and by what.
import type { AIUsagePoint, AIUsageRow, OrgUnitUsageDto } from '../../../client/index.ts';
import { formatCost, formatNumber, formatShort, t } from '../../base/i18n.ts';
import { useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Figures } from '../../ui/figures.tsx';
import { type PlotOf, Plots } from '../../ui/plots.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import type { UnitProps } from './unit-props.ts';

const dayMs = 86_400_000;

const groupings = () =>
  [
    ['OrgUnit', t('By unit')],
    ['Project', t('By project')],
    ['User', t('By person')],
    ['Identity', t('By identity')],
    ['Model', t('By model')],
  ] as const;

const plots = (): readonly PlotOf<AIUsagePoint>[] => [
  {
    title: t('Cost'),
    label: t('Cost over time'),
    format: formatCost,
    value: (one) => one.costUsd,
    nothing: t('No costs in this period.'),
  },
  {
    title: t('Tokens'),
    label: t('Tokens over time'),
    format: formatShort,
    value: (one) => one.promptTokens + one.completionTokens,
  },
];

export function UnitUsage({ unit: { id } }: UnitProps) {
  const { query } = useLocation();
  const options = groupings();
  const [groupBy, name] = options.find(([key]) => key === query.get('by')) ?? options[0];
  const usage = useKept(
    useResource(`usage of unit ${id} ${groupBy}`, () =>
      client.orgUnits.usage({ params: { id }, query: { groupBy, bucket: 'Day' } }),
    ),
  );
  return (
    <div className="stack">
      <UrlChoice label={t('Group by')} name="by" chosen={groupBy} options={options} />
      <Loaded resource={usage} rows={4}>
        {(used) => <Used used={used} head={name.replace(/^\S+ /, '')} />}
      </Loaded>
    </div>
  );
}

function Used({ used, head }: { used: OrgUnitUsageDto; head: string }) {
  return (
    <>
      <Figures
        items={[
          [t('Runs'), formatNumber(used.runCount)],
          [t('Calls'), formatNumber(used.calls)],
          [t('Tokens'), formatShort(used.totalTokens)],
          [t('Cost'), formatCost(used.costUsd)],
        ]}
      />
      {used.points.length === 0 ? (
        <Empty title={t('No calls in the last 30 days')}>
          {t('Model calls of the unit and of those below it are counted here.')}
        </Empty>
      ) : (
        <Plots
          points={used.points}
          span={{ from: Date.parse(used.fromUtc), bucket: dayMs }}
          weight={(one) => one.calls}
          plots={plots()}
        />
      )}
      {used.rows.length > 0 && (
        <Table className="card" rows={used.rows} keyOf={({ key }) => key} columns={columns(head)} />
      )}
    </>
  );
}

const columns = (head: string): Column<AIUsageRow>[] => [
  { head, className: 'grow', cell: ({ label, key }) => label || key || t('none') },
  { head: t('Calls'), num: true, cell: ({ calls }) => formatNumber(calls) },
  { head: t('Tokens in'), num: true, cell: ({ promptTokens }) => formatShort(promptTokens) },
  { head: t('Tokens out'), num: true, cell: ({ completionTokens }) => formatShort(completionTokens) },
  { head: t('Cost'), num: true, cell: ({ costUsd }) => formatCost(costUsd) },
];
