// Quiet hours: times of the week in which a routine starts nothing, as clocks in its zone show them.
import { z } from 'zod';
import { Fault } from '../kernel/fault.ts';
import type { Zone } from './zone.ts';

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00');
const Period = z.strictObject({
  from: time,
  to: time,
  /** Days on which the period begins; all of them unless given. */
  days: z.array(z.enum(days)).min(1).optional(),
});
const Quiet = z.union([Period, z.array(Period).max(20)]);

export interface QuietPeriod {
  /** Minutes since midnight. A period whose end is not after its start goes on into the next day. */
  from: number;
  to: number;
  days: readonly number[];
}

const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

/**
 * Reads `{"from":"22:00","to":"07:00","days":["Mon"]}`, or a list of those.
 *
 * @throws Fault VALIDATION_FAILED
 */
export function parseQuietHours(json: string | null): QuietPeriod[] {
  if (json === null || json.trim() === '') return [];
  const read = Quiet.safeParse(jsonOf(json));
  if (!read.success)
    throw new Fault('VALIDATION_FAILED', 'quietHoursJson does not say when it is quiet.', {
      hint: 'Send {"from":"22:00","to":"07:00"} or a list of such periods, each with "days":["Sat","Sun"] if wanted.',
    });
  return [read.data].flat().map((one) => ({
    from: minutesOf(one.from),
    to: minutesOf(one.to),
    days: (one.days ?? days).map((day) => days.indexOf(day)),
  }));
}

function jsonOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** Whether it is quiet at an instant: from the start of a period, to before its end. */
export function isQuiet(periods: readonly QuietPeriod[], zone: Zone, at: number): boolean {
  if (periods.length === 0) return false;
  const wall = new Date(zone.wallOf(at));
  const minute = wall.getUTCHours() * 60 + wall.getUTCMinutes();
  const today = wall.getUTCDay();
  const yesterday = (today + 6) % 7;
  return periods.some(({ from, to, days: on }) => {
    if (to > from) return on.includes(today) && minute >= from && minute < to;
    return (on.includes(today) && minute >= from) || (on.includes(yesterday) && minute < to);
  });
}
