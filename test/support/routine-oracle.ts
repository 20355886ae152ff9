// Says when cron expressions are due by other means than the server: another library reads them, and Temporal knows the zones.
import { CronExpressionParser } from 'cron-parser';
import { Temporal } from 'temporal-polyfill';

/** Instants after `from` up to `to`, in order. */
export function oracleDues(expression: string, zone: string, from: number, to: number): number[] {
  const dayMs = 86_400_000;
  const cron = CronExpressionParser.parse(expression, {
    currentDate: new Date(from - 2 * dayMs),
    endDate: new Date(to + 2 * dayMs),
    tz: 'UTC',
  });
  const everyHour = expression.trim().split(/\s+/).at(-4) === '*';
  const found = new Set<number>();
  while (cron.hasNext()) {
    const wall = cron.next().toDate().toISOString().slice(0, 19);
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

/** The same numbers in the same order for one seed. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

export const oracleZones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Asia/Beirut',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'America/St_Johns',
];

/** A cron expression as people write them, and some that nobody would. */
export function randomCron(random: (below: number) => number, most: 'minutes' | 'hours' = 'minutes'): string {
  const pick = <T>(...all: T[]): T => all[random(all.length)] as T;
  const field = (low: number, high: number) => {
    const a = low + random(high - low + 1);
    const b = low + random(high - low + 1);
    return pick(
      `${a}`,
      `${a}`,
      `*/${2 + random(Math.min(20, high - low))}`,
      `${Math.min(a, b)}-${Math.max(a, b)}`,
      [...new Set([a, b])].sort((x, y) => x - y).join(','),
    );
  };
  const minute = most === 'minutes' ? pick(field(0, 59), '0', '30') : String(random(60));
  const hour = pick('*', field(0, 5), field(0, 23), '2', '0');
  const day = pick('*', '*', '*', field(1, 28), '28', '31');
  // A day that no month has is an error to one library and never to the other.
  const month = day === '31' ? '*' : pick('*', '*', '*', field(1, 12));
  const weekday = day === '*' ? pick('*', '*', field(0, 6), '1-5', '0') : '*';
  const seconds = random(8) === 0 ? `${random(60)} ` : '';
  return `${seconds}${minute} ${hour} ${day} ${month} ${weekday}`;
}
