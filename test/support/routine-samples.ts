// Schedules for tests of routines, the same ones for one seed.

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
