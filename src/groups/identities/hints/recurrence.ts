// Recurring times by RFC 5545 rules, in UTC. The work is bounded, since rules come from outside.
import { Fault } from '../../../kernel/fault.ts';

/** Candidates looked at before a rule counts as one that never comes. */
const mostCandidates = 2000;
/** Once an hour is often enough to be reminded; the rest would only keep the server busy. */
const frequencies = ['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
const known = new Set([
  'FREQ',
  'INTERVAL',
  'COUNT',
  'UNTIL',
  'BYDAY',
  'BYMONTHDAY',
  'BYMONTH',
  'BYYEARDAY',
  'BYWEEKNO',
  'BYHOUR',
  'BYMINUTE',
  'BYSETPOS',
  'WKST',
]);

/**
 * The first time of a rule that is after `after`; null when there is none any more. Times are ms since 1970 UTC.
 *
 * @param pattern - e.g. `FREQ=WEEKLY;BYDAY=MO`, with or without `RRULE:` before it
 * @param start - the first time, from which COUNT and INTERVAL count
 * @throws Fault VALIDATION_FAILED for a rule that cannot be read or never comes
 */
export async function nextTime(pattern: string, start: number, after: number): Promise<number | null> {
  const rule = checked(pattern);
  // Loaded by who has a recurring hint alone: it is large.
  const [{ RRuleTemporal }, { Temporal }] = await Promise.all([import('rrule-temporal'), import('temporal-polyfill')]);
  try {
    const dtstart = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO('UTC');
    const rrule = new RRuleTemporal({ rruleString: rule, dtstart, maxIterations: mostCandidates });
    const next = rrule.next(new Date(after), start > after);
    return next?.epochMilliseconds ?? null;
  } catch (cause) {
    throw refused(pattern, cause instanceof Error ? cause.message : 'it cannot be read', cause);
  }
}

function checked(pattern: string): string {
  const rule = pattern
    .trim()
    .replace(/^RRULE:/i, '')
    .toUpperCase();
  const parts = new Map(rule.split(';').map((part) => part.split('=', 2) as [string, string | undefined]));
  for (const [name, value] of parts)
    if (!known.has(name) || !value) throw refused(pattern, `"${name.slice(0, 40)}" is no part of a rule here`);
  if (!frequencies.includes(parts.get('FREQ') ?? ''))
    throw refused(pattern, `FREQ must be one of ${frequencies.join(', ')}`);
  return rule;
}

const refused = (pattern: string, why: string, cause?: unknown) =>
  new Fault('VALIDATION_FAILED', `The rule "${pattern.slice(0, 200)}" cannot be used: ${why}.`, {
    hint: 'Give an RFC 5545 rule such as FREQ=DAILY;INTERVAL=2 or FREQ=MONTHLY;BYDAY=1MO.',
    cause,
  });
