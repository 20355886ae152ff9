// What a unit and those below it have used in the last 30 days: runs, calls, tokens and cost, over time and by what.
import type { AIUsageGroupBy, AIUsagePoint, AIUsageRow, OrgUnitUsageDto } from '../../../client/index.ts';
import { formatCost, formatNumber, formatShort, t } from '../../base/i18n.ts';
import { useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
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
    ['OrgUnit', t('By unit'), t('Unit')],
    ['Project', t('By project'), t('Project')],
    ['User', t('By person'), t('Person')],
    ['Identity', t('By identity'), t('Identity')],
    ['Model', t('By model'), t('Model')],
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

/** How many names are read at once; what has none here is called by its number. */
const mostNames = 200;

/** Names of what usage is grouped by, where the server answers numbers; null where there are none, or they may not be read. */
async function namesOf(groupBy: AIUsageGroupBy, unitId: number): Promise<ReadonlyMap<string, string> | null> {
  const query = { pageSize: mostNames };
  if (groupBy === 'Project') {
    const within = { ...query, includeDescendants: true };
    const { items } = await client.orgUnits.projects({ params: { id: unitId }, query: within });
    return new Map(items.map(({ id, name }) => [String(id), name]));
  }
  if (groupBy === 'User' && may('UsersRead')) {
    const { items } = await client.users.list({ query });
    return new Map(items.map(({ id, displayName, username }) => [String(id), displayName || username]));
  }
  if (groupBy === 'Identity' && may('IdentitiesRead')) {
    const { items } = await client.identities.list({ query });
    return new Map(items.map(({ id, displayName }) => [String(id), displayName]));
  }
  return null;
}

type NameOf = (row: AIUsageRow) => string;

/** What a row is about, in words. */
function useNames(groupBy: AIUsageGroupBy, unitId: number): NameOf {
  const names = useResource(`names of ${groupBy} in unit ${unitId}`, () => namesOf(groupBy, unitId)).data;
  const isNumbered = groupBy === 'Project' || groupBy === 'User' || groupBy === 'Identity';
  return ({ key, label }) => {
    if (key === '') return t('none');
    return names?.get(key) ?? (isNumbered ? `#${key}` : label);
  };
}

export function UnitUsage({ unit: { id } }: UnitProps) {
  const { query } = useLocation();
  const options = groupings();
  const [groupBy, , head] = options.find(([key]) => key === query.get('by')) ?? options[0];
  const usage = useKept(
    useResource(`usage of unit ${id} ${groupBy}`, () =>
      client.orgUnits.usage({ params: { id }, query: { groupBy, bucket: 'Day' } }),
    ),
  );
  const nameOf = useNames(groupBy, id);
  return (
    <div className="stack">
      <UrlChoice
        label={t('Group by')}
        name="by"
        chosen={groupBy}
        options={options.map(([key, text]) => [key, text] as const)}
      />
      <Loaded resource={usage} rows={4}>
        {(used) => <Used used={used} head={head} nameOf={nameOf} />}
      </Loaded>
    </div>
  );
}

function Used({ used, head, nameOf }: { used: OrgUnitUsageDto; head: string; nameOf: NameOf }) {
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
      {used.calls === 0 ? (
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
        <Table className="card" rows={used.rows} keyOf={({ key }) => key} columns={columns(head, nameOf)} />
      )}
    </>
  );
}

const columns = (head: string, nameOf: NameOf): Column<AIUsageRow>[] => [
  { head, className: 'grow', cell: nameOf },
  { head: t('Calls'), num: true, cell: ({ calls }) => formatNumber(calls) },
  { head: t('Tokens in'), num: true, cell: ({ promptTokens }) => formatShort(promptTokens) },
  { head: t('Tokens out'), num: true, cell: ({ completionTokens }) => formatShort(completionTokens) },
  { head: t('Cost'), num: true, cell: ({ costUsd }) => formatCost(costUsd) },
];
