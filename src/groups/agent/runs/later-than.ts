// Times of requests that must lie ahead.
import { Fault } from '../../../kernel/fault.ts';

/** The time in ms; null for none. Fault VALIDATION_FAILED where it is past. */
export function laterThan(now: number, value: string | null | undefined, field: string): number | null {
  if (value == null) return null;
  const time = Date.parse(value);
  if (time <= now) throw new Fault('VALIDATION_FAILED', `${field} lies in the past.`, { hint: 'Give a later time.' });
  return time;
}
