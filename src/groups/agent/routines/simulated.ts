// A stretch of time of one routine, played forward and shown.
import { setImmediate as turn } from 'node:timers/promises';
import { parseQuietHours } from '../../../routines/quiet-hours.ts';
import { simulate } from '../../../routines/simulation.ts';
import type { RoutineSimulationDto } from './dto.ts';
import { type RoutineDoc, scheduleOf } from './record.ts';

interface Query {
  fromUtc?: string | undefined;
  days: number;
  runMinutes: number;
  slots: number;
  moments: number;
}

export async function simulated(routine: RoutineDoc, query: Query, now: number): Promise<RoutineSimulationDto> {
  const from = query.fromUtc === undefined ? now : Date.parse(query.fromUtc);
  const to = from + query.days * 86_400_000;
  const { maxRunsPerDay, maxConcurrentRuns } = routine;
  const plan = {
    schedule: scheduleOf(routine),
    quietHours: parseQuietHours(routine.quietHoursJson),
    maxRunsPerDay,
    maxConcurrentRuns,
  };
  const playing = simulate(plan, from, to, {
    runMs: query.runMinutes * 60_000,
    slots: query.slots,
    moments: query.moments,
  });
  let step = playing.next();
  // A year of minutes takes a while: others are answered meanwhile.
  for (; !step.done; step = playing.next()) await turn();
  const { days, shifts, slots, due, runs, playedTo } = step.value;
  return {
    routineId: routine._id,
    timezoneId: routine.timezoneId,
    fromUtc: new Date(from).toISOString(),
    toUtc: new Date(to).toISOString(),
    playedToUtc: new Date(playedTo ?? to).toISOString(),
    ...{ dueCount: due, runCount: runs, isCut: playedTo !== null, days },
    shifts: shifts.map(({ at, minutes }) => ({ atUtc: new Date(at).toISOString(), minutes })),
    slots: slots.map(({ dueAt, outcome, reason }) => ({
      dueAtUtc: new Date(dueAt).toISOString(),
      outcomeId: outcome,
      reason,
    })),
  };
}
