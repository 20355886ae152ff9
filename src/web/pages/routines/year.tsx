// A year of a routine played forward, as a picture: a square a day, with what would run and what would be skipped.
import { useState } from 'react';
import type { AgentRoutineDetailDto, RoutineSimulationDto } from '../../../client/index.ts';
import { formatNumber, plural, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/states.tsx';
import { timeIn } from './words.ts';

const dayMs = 86_400_000;
const side = 14;
const top = 20;
const lengths = ['0', '5', '30', '60', '240', '1440'];

export function Year({ routine }: { routine: AgentRoutineDetailDto }) {
  const { id, updatedAtUtc } = routine;
  const [minutes, setMinutes] = useState('5');
  const year = useKept(
    useResource(`year of ${id} ${updatedAtUtc} ${minutes}`, () =>
      client.agentRoutines.simulate({ params: { id }, query: { slots: 0, runMinutes: Number(minutes) } }),
    ),
  );
  return (
    <section className="card" aria-label={t('A year ahead')}>
      <div className="card-head">
        <h2 className="grow">{t('A year ahead')}</h2>
      </div>
      <div className="card-body stack">
        <div className="form-grid">
          <SelectField
            label={t('A run takes')}
            value={minutes}
            onChange={setMinutes}
            options={lengths.map((one) => [one, plural(Number(one), '{n} minute', '{n} minutes')] as const)}
            hint={t('Nothing is started: the calendar, quiet hours and limits are played forward.')}
          />
        </div>
        <Loaded resource={year}>{(played) => <Played year={played} />}</Loaded>
      </div>
    </section>
  );
}

type Day = RoutineSimulationDto['days'][number];

function Played({ year }: { year: RoutineSimulationDto }) {
  const { timezoneId, dueCount, runCount, days, shifts, isCut } = year;
  const sum = (count: (day: Day) => number) => formatNumber(days.reduce((all, day) => all + count(day), 0));
  const said = t(
    '{due} moments, {runs} runs, {quiet} in quiet hours, {throttled} over its limits, {overlap} while one is at work',
    {
      due: formatNumber(dueCount),
      runs: formatNumber(runCount),
      quiet: sum((day) => day.skippedQuietHours),
      throttled: sum((day) => day.skippedThrottled),
      overlap: sum((day) => day.skippedOverlap),
    },
  );
  return (
    <>
      <p className="num">{said}</p>
      {isCut && <p className="muted">{t('It is due too often to be played to the end.')}</p>}
      <Squares year={year} label={t('A year ahead: {said}', { said })} />
      <p className="legend">
        <span>
          <i data-kind="run" className="routine-mark" />
          {t('all run')}
        </span>
        <span>
          <i data-kind="some" className="routine-mark" />
          {t('some run')}
        </span>
        <span>
          <i data-kind="skip" className="routine-mark" />
          {t('all skipped')}
        </span>
        <span>
          <i data-kind="none" className="routine-mark" />
          {t('nothing due')}
        </span>
      </p>
      {shifts.length > 0 && (
        <ul className="routine-list small" aria-label={t('Changes of the clocks')}>
          {shifts.map(({ atUtc, minutes }) => (
            <li key={atUtc}>
              {t('Clocks change by {n} minutes: {when}', { n: minutes, when: timeIn(timezoneId, atUtc) })}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const kindOf = (day: Day | undefined) =>
  !day || day.due === 0 ? 'none' : day.runs === day.due ? 'run' : day.runs > 0 ? 'some' : 'skip';

/** A column a week, Monday at the top. */
function Squares({ year, label }: { year: RoutineSimulationDto; label: string }) {
  const byDate = new Map(year.days.map((day) => [day.date, day]));
  // Days by their names in the zone; noon keeps clear of the changes of the clocks.
  const name = new Intl.DateTimeFormat('en-CA', { timeZone: year.timezoneId });
  const first = Date.parse(`${name.format(new Date(year.fromUtc))}T12:00:00Z`);
  const last = Date.parse(`${name.format(new Date(year.toUtc))}T12:00:00Z`);
  const count = Math.round((last - first) / dayMs) + 1;
  const offset = (new Date(first).getUTCDay() + 6) % 7;
  const columns = Math.ceil((count + offset) / 7);
  const month = new Intl.DateTimeFormat(undefined, { month: 'short', timeZone: 'UTC' });
  const dates = Array.from({ length: count }, (_, index) => new Date(first + index * dayMs));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys
    <section className="routine-year" tabIndex={0} aria-label={t('The year, day by day')}>
      <svg viewBox={`0 0 ${columns * side} ${top + 7 * side}`} role="img" aria-label={label}>
        {dates.map((date, index) => {
          const key = date.toISOString().slice(0, 10);
          const day = byDate.get(key);
          const at = index + offset;
          const x = Math.floor(at / 7) * side;
          return (
            <g key={key}>
              {date.getUTCDate() === 1 && (
                <text x={x} y={top - 7}>
                  {month.format(date)}
                </text>
              )}
              <rect x={x} y={top + (at % 7) * side} width={side - 3} height={side - 3} rx="2.5" data-kind={kindOf(day)}>
                <title>
                  {t('{date}: {runs} of {due} run', { date: key, runs: day?.runs ?? 0, due: day?.due ?? 0 })}
                </title>
              </rect>
            </g>
          );
        })}
      </svg>
    </section>
  );
}
