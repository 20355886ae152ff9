// The calendar of routines: at which moments one is due. Pure; previews, next-due, catch-up, simulation and the alarm use it alone.
import type { RoutineScheduleKind } from '../contract/enums.ts';
import { Fault } from '../kernel/fault.ts';
import { dueInstants, parseCron, requireCron } from './cron.ts';
import { zoneOf } from './zone.ts';

/** When a routine is due; times are milliseconds since 1970. */
export interface Schedule {
  kind: RoutineScheduleKind;
  cronExpression: string | null;
  intervalMinutes: number | null;
  runOnceAt: number | null;
  /** An IANA name: the zone of the routine, never that of the machine. */
  timezoneId: string;
  /** Intervals are counted from here, so that late runs shift nothing. */
  anchorAt: number;
  /** Nothing is due after this. */
  expiresAt: number | null;
}

const minuteMs = 60_000;

/** The moments after `from` at which it is due, in order; without an end for most kinds. @throws Fault INVALID_CRON */
export function* dueAfter(schedule: Schedule, from: number): Generator<number> {
  for (const at of moments(schedule, from)) {
    if (schedule.expiresAt !== null && at > schedule.expiresAt) return;
    yield at;
  }
}

function* moments(schedule: Schedule, from: number): Generator<number> {
  const { kind, cronExpression, intervalMinutes, runOnceAt, anchorAt } = schedule;
  if (kind === 'Cron' && cronExpression !== null)
    yield* dueInstants(parseCron(cronExpression), zoneOf(schedule.timezoneId), from);
  else if (kind === 'Interval' && intervalMinutes !== null) {
    const step = intervalMinutes * minuteMs;
    const passed = Math.max(0, Math.floor((from - anchorAt) / step));
    for (let at = anchorAt + (passed + 1) * step; ; at += step) yield at;
  } else if (kind === 'Once' && runOnceAt !== null && runOnceAt > from) yield runOnceAt;
}

/** The next moment after `from`, or null when there is none. */
export const nextDue = (schedule: Schedule, from: number): number | null =>
  take(dueAfter(schedule, from), 1)[0] ?? null;

/** The next `count` moments after `from`. */
export const nextDues = (schedule: Schedule, from: number, count: number): number[] =>
  take(dueAfter(schedule, from), count);

/** Moments after `from` up to `to`, at most `limit`. */
export function duesBetween(schedule: Schedule, from: number, to: number, limit = Number.POSITIVE_INFINITY): number[] {
  const found: number[] = [];
  for (const at of dueAfter(schedule, from)) {
    if (at > to || found.length >= limit) break;
    found.push(at);
  }
  return found;
}

function take(moments: Iterable<number>, count: number): number[] {
  const found: number[] = [];
  if (count > 0)
    for (const at of moments) {
      found.push(at);
      if (found.length >= count) break;
    }
  return found;
}

/** @throws Fault INVALID_CRON, VALIDATION_FAILED for a schedule that lacks what its kind needs */
export function requireSchedule(schedule: Schedule): void {
  zoneOf(schedule.timezoneId);
  const lacks = (field: string, hint: string) =>
    new Fault('VALIDATION_FAILED', `A routine of the kind ${schedule.kind} needs ${field}.`, { hint });
  if (schedule.kind === 'Cron') {
    if (schedule.cronExpression === null) throw lacks('cronExpression', 'Send one, e.g. "30 8 * * MON-FRI".');
    requireCron(schedule.cronExpression);
  }
  if (schedule.kind === 'Interval' && schedule.intervalMinutes === null)
    throw lacks('intervalMinutes', 'Send the minutes between two runs.');
  if (schedule.kind === 'Once' && schedule.runOnceAt === null) throw lacks('runOnceAtUtc', 'Send the time of the run.');
}

/** What people should know of a schedule: that clocks are changed among its next moments. */
export function warningOf(schedule: Schedule, from: number): string | null {
  if (schedule.kind !== 'Cron' || schedule.cronExpression === null) return null;
  const zone = zoneOf(schedule.timezoneId);
  const yearMs = 366 * 86_400_000;
  const cron = parseCron(schedule.cronExpression);
  if (cron.isRhythm) return null;
  for (const { at, before, after } of zone.shiftsBetween(from, from + yearMs)) {
    const low = at + Math.min(before, after);
    const high = at + Math.max(before, after);
    const named = cron.after(low - 1);
    if (named === null || named >= high) continue;
    const day = new Date(at + before).toISOString().slice(0, 10);
    const time = new Date(named).toISOString().slice(11, 16);
    return after > before
      ? `On ${day} clocks in ${schedule.timezoneId} skip ${time}: it runs at the first moment after the gap, once.`
      : `On ${day} clocks in ${schedule.timezoneId} show ${time} twice: it runs the first time only.`;
  }
  return null;
}
