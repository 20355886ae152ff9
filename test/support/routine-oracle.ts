// Says when cron expressions are due by other means than the server: another library reads them, and Temporal knows the zones.
import { CronExpressionParser } from 'cron-parser';
import { Temporal } from 'temporal-polyfill';

/** Instants after `from` up to `to`, in order. Looks for no further ones as soon as there are more than `most`. */
export function oracleDues(
  expression: string,
  zone: string,
  from: number,
  to: number,
  most = Number.POSITIVE_INFINITY,
): number[] {
  const twoDaysMs = 2 * 86_400_000;
  const cron = CronExpressionParser.parse(expression, { currentDate: new Date(from - twoDaysMs), tz: 'UTC' });
  const everyHour = expression.trim().split(/\s+/).at(-4) === '*';
  const found = new Set<number>();
  // `hasNext` would look for each of them a second time.
  for (let due = cron.next(); due.getTime() <= to + twoDaysMs && found.size <= most; due = cron.next()) {
    const wall = due.toDate().toISOString().slice(0, 19);
    for (const at of instants(Temporal.PlainDateTime.from(wall), zone, everyHour))
      if (at > from && at <= to) found.add(at);
  }
  return [...found].sort((a, b) => a - b);
}

function instants(wall: Temporal.PlainDateTime, zone: string, everyHour: boolean): number[] {
  const early = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const late = wall.toZonedDateTime(zone, { disambiguation: 'later' });
  if (early.epochMilliseconds === late.epochMilliseconds) return [early.epochMilliseconds];
  if (early.toPlainDateTime().equals(wall))
    return everyHour ? [early.epochMilliseconds, late.epochMilliseconds] : [early.epochMilliseconds];
  // Nobody saw this time: `earlier` lies before the change, which is the next one from there.
  const change = early.getTimeZoneTransition('next');
  return everyHour || !change ? [] : [change.epochMilliseconds];
}
