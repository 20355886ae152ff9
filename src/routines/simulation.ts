// Plays a routine's calendar forward without starting anything: what each moment would come to. Pure.
import type { RoutineRunOutcome } from '../contract/enums.ts';
import { dueAfter, type Schedule } from './calendar.ts';
import { isQuiet, type QuietPeriod } from './quiet-hours.ts';
import { type Verdict, verdictOf } from './verdict.ts';
import { dayIn, type Zone, zoneOf } from './zone.ts';

export interface Plan {
  schedule: Schedule;
  quietHours: readonly QuietPeriod[];
  maxRunsPerDay: number;
  maxConcurrentRuns: number;
}

export interface SimulatedSlot {
  dueAt: number;
  /** `Succeeded` stands for a run that would start. */
  outcome: RoutineRunOutcome;
  reason: string | null;
}

export interface SimulatedDay {
  /** As clocks in the zone show it. */
  date: string;
  due: number;
  runs: number;
  skippedQuietHours: number;
  skippedThrottled: number;
  skippedOverlap: number;
}

/** A change of the clocks, with what was due around it. */
export interface SimulatedShift {
  at: number;
  minutes: number;
}

export interface Simulation {
  days: SimulatedDay[];
  shifts: SimulatedShift[];
  /** The first moments, up to the limit that was asked for. */
  slots: SimulatedSlot[];
  due: number;
  runs: number;
  /** The first moment that was not played, because there were too many before it; null when all were. */
  playedTo: number | null;
}

const dayMs = 86_400_000;
/** Moments between two pauses. */
const stepSize = 1000;

/** From `from` to `to`, with runs that take `runMs` each, `moments` at most. It stops again and again, for others to be served. */
export function* simulate(
  plan: Plan,
  from: number,
  to: number,
  options: { runMs: number; slots: number; moments: number },
): Generator<undefined, Simulation> {
  const zone = zoneOf(plan.schedule.timezoneId);
  const days = new Map<string, SimulatedDay>();
  const result: Simulation = {
    days: [],
    shifts: zone.shiftsBetween(from, to).map(({ at, before, after }) => ({ at, minutes: (after - before) / 60_000 })),
    slots: [],
    due: 0,
    runs: 0,
    playedTo: null,
  };
  /** Ends of runs that are at work, earliest first. */
  const ends: number[] = [];
  let day = emptyDay('');
  let dayNumber = Number.NaN;
  for (const dueAt of dueAfter(plan.schedule, from)) {
    if (dueAt > to) break;
    if (result.due >= options.moments) {
      result.playedTo = dueAt;
      break;
    }
    if (result.due % stepSize === stepSize - 1) yield;
    while (ends[0] !== undefined && ends[0] <= dueAt) ends.shift();
    const number = Math.floor(zone.wallOf(dueAt) / dayMs);
    // Names of days are costly, and moments of one day follow each other.
    if (number !== dayNumber) {
      const date = dayIn(zone, dueAt);
      day = days.get(date) ?? emptyDay(date);
      days.set(date, day);
      dayNumber = number;
    }
    const verdict = verdictAt(plan, zone, dueAt, { open: ends.length, today: day.runs });
    const outcome = verdict.kind === 'skip' ? verdict.outcome : 'Succeeded';
    count(day, outcome);
    result.due++;
    if (outcome === 'Succeeded') {
      result.runs++;
      if (options.runMs > 0) ends.push(dueAt + options.runMs);
    }
    if (result.slots.length < options.slots)
      result.slots.push({ dueAt, outcome, reason: verdict.kind === 'skip' ? verdict.reason : null });
  }
  result.days = [...days.values()];
  return result;
}

const verdictAt = (plan: Plan, zone: Zone, dueAt: number, counts: { open: number; today: number }): Verdict =>
  verdictOf({
    source: 'Schedule',
    dueAt,
    now: dueAt,
    isNewest: true,
    missedRunPolicy: 'Skip',
    blocked: null,
    quiet: isQuiet(plan.quietHours, zone, dueAt),
    open: counts.open,
    today: counts.today,
    maxConcurrentRuns: plan.maxConcurrentRuns,
    maxRunsPerDay: plan.maxRunsPerDay,
  });

const emptyDay = (date: string): SimulatedDay => ({
  ...{ date, due: 0, runs: 0 },
  ...{ skippedQuietHours: 0, skippedThrottled: 0, skippedOverlap: 0 },
});

function count(day: SimulatedDay, outcome: RoutineRunOutcome): void {
  day.due++;
  if (outcome === 'Succeeded') day.runs++;
  else if (outcome === 'SkippedQuietHours') day.skippedQuietHours++;
  else if (outcome === 'SkippedOverlap') day.skippedOverlap++;
  else day.skippedThrottled++;
}
