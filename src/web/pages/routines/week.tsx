// The calendar of the coming week: each moment at which a routine is due, and what would keep it from running.
import type { AgentRoutineDetailDto, RoutineRunOutcome } from '../../../client/index.ts';
import { plural, t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Loaded } from '../../ui/states.tsx';
import { Outcome } from './marks.tsx';
import { clockIn, dayIn } from './words.ts';

const dayMs = 86_400_000;
/** What stands in the narrow columns of days; the reason is the title. */
const briefly = (): Partial<Record<RoutineRunOutcome, string>> => ({
  Succeeded: t('due'),
  SkippedQuietHours: t('quiet'),
  SkippedThrottled: t('over limit'),
  SkippedOverlap: t('overlap'),
});
const shownADay = 10;

interface Moment {
  dueAtUtc: string;
  outcomeId: RoutineRunOutcome;
  reason: string | null;
}

export function ComingWeek({ routine }: { routine: AgentRoutineDetailDto }) {
  const { id, timezoneId, updatedAtUtc } = routine;
  const week = useKept(
    useResource(`week of ${id} ${updatedAtUtc}`, () =>
      client.agentRoutines.simulate({ params: { id }, query: { days: 7, slots: 2000 } }),
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
          {({ slots, fromUtc, dueCount }) =>
            dueCount === 0 ? (
              <p className="muted">{t('The clock has nothing for it this week.')}</p>
            ) : (
              <>
                <Days slots={slots} from={Date.parse(fromUtc)} zone={timezoneId} />
                {slots.length < dueCount && (
                  <p className="small muted">
                    {t('The first {n} of {all} are shown.', { n: slots.length, all: dueCount })}
                  </p>
                )}
              </>
            )
          }
        </Loaded>
      </div>
    </section>
  );
}

function Days({ slots, from, zone }: { slots: readonly Moment[]; from: number; zone: string }) {
  const days = new Map<string, Moment[]>();
  // Eight names: the week begins and ends within a day.
  for (let day = 0; day <= 7; day++) days.set(dayIn(zone, from + day * dayMs), []);
  for (const slot of slots) days.get(dayIn(zone, slot.dueAtUtc))?.push(slot);
  return (
    <ol className="routine-week">
      {[...days].map(([name, moments]) => (
        <li key={name} className="stack tight">
          <h3>{name}</h3>
          {moments.length === 0 && <span className="small muted">{t('nothing')}</span>}
          {moments.slice(0, shownADay).map(({ dueAtUtc, outcomeId, reason }) => (
            <span key={dueAtUtc} className="routine-moment" title={reason ?? undefined}>
              <span className="num">{clockIn(zone, dueAtUtc)}</span>
              <Outcome outcome={outcomeId === 'Succeeded' ? 'Pending' : outcomeId}>
                {briefly()[outcomeId] ?? words(outcomeId)}
              </Outcome>
            </span>
          ))}
          {moments.length > shownADay && (
            <span className="small muted">{plural(moments.length - shownADay, 'and {n} more', 'and {n} more')}</span>
          )}
        </li>
      ))}
    </ol>
  );
}
