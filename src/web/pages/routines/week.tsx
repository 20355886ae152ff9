// The calendar of the coming week: each moment at which a routine is due, and what would keep it from running.
import type { AgentRoutineDetailDto, RoutineRunOutcome, RoutineSimulationDto } from '../../../client/index.ts';
import { plural, t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Loaded } from '../../ui/states.tsx';
import { Outcome } from './marks.tsx';
import { clockIn, dateIn, dayIn, hasSeconds, timeIn } from './words.ts';

const dayMs = 86_400_000;
/** What stands in the narrow columns of days; the reason is the title. */
const briefly = (): Partial<Record<RoutineRunOutcome, string>> => ({
  Succeeded: t('due'),
  SkippedQuietHours: t('quiet'),
  SkippedThrottled: t('over limit'),
  SkippedOverlap: t('overlap'),
});
const shownADay = 10;
/** A week of one a minute, and some; what is due more often is not worth the server's time. */
const mostMoments = 12_000;

type Moment = RoutineSimulationDto['slots'][number];

export function ComingWeek({ routine }: { routine: AgentRoutineDetailDto }) {
  const { id, timezoneId, updatedAtUtc } = routine;
  const week = useKept(
    useResource(`week of ${id} ${updatedAtUtc}`, () =>
      client.agentRoutines.simulate({ params: { id }, query: { days: 7, slots: 2000, moments: mostMoments } }),
    ),
  );
  return (
    <section className="card" aria-label={t('The coming week')}>
      <div className="card-head">
        <h2 className="grow">{t('The coming week')}</h2>
        <span className="small muted">{timezoneId}</span>
      </div>
      <div className="card-body stack">
        {!routine.isEnabled && (
          <p className="muted">{t('It is disabled: nothing of this is due until it is enabled.')}</p>
        )}
        <Loaded resource={week} rows={4}>
          {(found) =>
            found.dueCount === 0 ? (
              <p className="muted">{t('The clock has nothing for it this week.')}</p>
            ) : (
              <Days week={found} zone={timezoneId} />
            )
          }
        </Loaded>
      </div>
    </section>
  );
}

function Days({ week, zone }: { week: RoutineSimulationDto; zone: string }) {
  const { slots, days, isCut, playedToUtc } = week;
  const from = Date.parse(week.fromUtc);
  const moments = new Map<string, Moment[]>();
  for (const slot of slots) {
    const date = dateIn(zone, slot.dueAtUtc);
    moments.set(date, [...(moments.get(date) ?? []), slot]);
  }
  const seconds = slots.some(({ dueAtUtc }) => hasSeconds(dueAtUtc));
  // Eight names: the week begins and ends within a day.
  const names = new Map(
    Array.from({ length: 8 }, (_, day) => [dateIn(zone, from + day * dayMs), dayIn(zone, from + day * dayMs)]),
  );
  const lastDate = dateIn(zone, playedToUtc);
  return (
    <>
      <ol className="routine-week">
        {[...names].map(([date, name]) => (
          <li key={date} className="stack tight">
            <h3>{name}</h3>
            <Moments moments={moments.get(date) ?? []} {...{ zone, seconds }} />
            {isCut && date > lastDate ? (
              <span className="small muted">{t('not counted')}</span>
            ) : (
              <Rest
                day={days.find((one) => one.date === date)}
                listed={moments.get(date)?.length ?? 0}
                isCut={isCut && date === lastDate}
              />
            )}
          </li>
        ))}
      </ol>
      {isCut && (
        <p className="small muted">
          {t('It is due too often to count the whole week: counted until {when}.', { when: timeIn(zone, playedToUtc) })}
        </p>
      )}
    </>
  );
}

function Moments({ moments, zone, seconds }: { moments: readonly Moment[]; zone: string; seconds: boolean }) {
  return moments.slice(0, shownADay).map(({ dueAtUtc, outcomeId, reason }) => (
    <span key={dueAtUtc} className="routine-moment" title={reason ?? undefined}>
      <span className="num">{clockIn(zone, dueAtUtc, seconds)}</span>
      <Outcome outcome={outcomeId === 'Succeeded' ? 'Pending' : outcomeId}>
        {briefly()[outcomeId] ?? words(outcomeId)}
      </Outcome>
    </span>
  ));
}

/** What of a day is not shown moment by moment; the server lists the first moments of the week alone. */
function Rest(props: { day: RoutineSimulationDto['days'][number] | undefined; listed: number; isCut: boolean }) {
  const { day, listed, isCut } = props;
  if (!day) return <span className="small muted">{isCut ? t('not counted') : t('nothing')}</span>;
  const more = day.due - Math.min(listed, shownADay);
  if (more <= 0) return null;
  if (isCut)
    return <span className="small muted">{plural(more, 'and at least {n} more', 'and at least {n} more')}</span>;
  if (listed > 0) return <span className="small muted">{plural(more, 'and {n} more', 'and {n} more')}</span>;
  return (
    <span className="small muted">
      {plural(day.due, 'due once', 'due {n} times')}, {plural(day.runs, '{n} run', '{n} runs')}
    </span>
  );
}
