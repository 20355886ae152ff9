// Drift: how often the identity resisted while it had each of its souls, plotted and in figures.
import type { PersonaDriftDto } from '../../../client/index.ts';
import { formatDay, formatNumber, formatPercent, t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Plot } from '../../ui/plot.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import type { PartProps } from './part-props.ts';

export function Drift({ identityId, news }: PartProps) {
  const params = { identityId };
  const told = useKept(
    useResource(`drift ${identityId}`, () =>
      Promise.all([client.mirrorStatistics.drift({ params }), client.mirrorStatistics.stats({ params })]),
    ),
  );
  useReloadOn(news, told.reload);
  return (
    <Loaded resource={told}>
      {([drift, stats]) =>
        stats.totalReflections === 0 ? (
          <Empty title={t('Nothing to compare yet')}>
            {t('With reflections, this shows whether a change of the soul made the identity resist more or less.')}
          </Empty>
        ) : (
          <>
            <p>
              {t('Resisted {share} of {n} pulls.', {
                share: formatPercent(stats.resistanceRate),
                n: formatNumber(stats.totalReflections),
              })}
            </p>
            <section className="card card-body stack" aria-label={t('Resistance by soul')}>
              <Plot
                label={t('Share of pulls that were resisted, by soul')}
                series={seriesOf(drift)}
                format={formatPercent}
              />
            </section>
            <Table rows={drift} keyOf={({ soulNumber }) => soulNumber ?? 0} columns={columns} />
          </>
        )
      }
    </Loaded>
  );
}

/** When each soul began; of the time before the first, when that ended. */
const timeOf = ({ fromUtc, toUtc }: PersonaDriftDto) => Date.parse(fromUtc ?? toUtc ?? '') || Date.now();

function seriesOf(drift: readonly PersonaDriftDto[]) {
  const felt = drift.filter(({ resistanceRate }) => resistanceRate !== null);
  const line = (name: string, value: (one: PersonaDriftDto) => number | null) => ({
    name,
    points: felt.map((one) => ({ at: timeOf(one), value: value(one) ?? 0 })),
  });
  return [
    line(t('resisted'), (one) => one.resistanceRate),
    line(t('at least, 95 %'), (one) => one.low),
    line(t('at most, 95 %'), (one) => one.high),
  ];
}

const columns: Column<PersonaDriftDto>[] = [
  {
    head: t('Soul'),
    cell: ({ soulNumber }) => (soulNumber === null ? t('before the first') : t('version {n}', { n: soulNumber })),
  },
  { head: t('From'), cell: ({ fromUtc }) => (fromUtc ? formatDay(fromUtc) : '–') },
  { head: t('Pulls'), num: true, cell: ({ reflections }) => formatNumber(reflections) },
  {
    head: t('Resisted'),
    num: true,
    cell: ({ resistanceRate, low, high }) =>
      resistanceRate === null || low === null || high === null
        ? '–'
        : `${formatPercent(resistanceRate)} (${formatPercent(low)}–${formatPercent(high)})`,
  },
  {
    head: t('Kinds'),
    className: 'wide',
    cell: ({ compulsionBreakdown }) =>
      Object.entries(compulsionBreakdown)
        .map(([kind, n]) => `${words(kind)} ${n}`)
        .join(', ') || '–',
  },
];
