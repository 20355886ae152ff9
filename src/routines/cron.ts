// Cron expressions: what they mean on the wall, and at which instants that is in a time zone.
import { Cron } from 'croner';
import { Fault } from '../kernel/fault.ts';
import { createLru } from '../kernel/lru.ts';
import { largestShiftMs, type Wall, type Zone } from './zone.ts';

export interface CronSchedule {
  /** The next local time that it names. */
  after(wall: Wall): Wall | null;
  /** The expression names every hour, so it follows elapsed time: a change to or from summer time neither skips nor repeats an hour. */
  isRhythm: boolean;
}

const longest = 200;
const parsed = createLru<string, CronSchedule>(1000);

const howToWrite =
  'Write minute, hour, day, month and weekday, with seconds before them if wanted, e.g. "30 8 * * MON-FRI".';
const refuse = (why: string, hint = howToWrite) =>
  new Fault('INVALID_CRON', `The cron expression cannot be used: ${why}.`, { hint });

/** Five fields, or six with seconds first; names, lists, ranges, steps, `L`, `W`, `#` and `@daily`. @throws Fault INVALID_CRON */
export function parseCron(expression: string): CronSchedule {
  const text = expression.trim();
  const known = parsed.get(text);
  if (known) return known;
  if (text.length > longest) throw refuse(`it is longer than ${longest} characters`);
  // A question mark stands for the time at which it is read: nothing that a calendar could promise.
  if (text.includes('?')) throw refuse('a question mark has no fixed meaning; write * instead');
  const schedule = read(text);
  parsed.set(text, schedule);
  return schedule;
}

/** Refuses an expression that is to be kept and can't be used, also one that is never due. @throws Fault INVALID_CRON */
export function requireCron(expression: string): void {
  // No field names a year, so that it does not matter from when on one looks.
  if (parseCron(expression).after(0) !== null) return;
  throw refuse('no date is like that', 'Name a day that comes in its month: there is no 31st of February.');
}

function read(text: string): CronSchedule {
  const fields = text.split(/\s+/).filter(Boolean);
  // Names such as @daily are one word.
  if (!text.startsWith('@') && fields.length !== 5 && fields.length !== 6)
    throw refuse(`it has ${fields.length} field${fields.length === 1 ? '' : 's'}, and takes five, or six with seconds`);
  let cron: Cron;
  try {
    // Local times are handled as if they were UTC, so the library never sees a change of the clocks.
    cron = new Cron(text, { utcOffset: 0, paused: true, mode: '5-or-6-parts' });
  } catch (error) {
    throw refuse(
      String((error as Error).message)
        .replace(/^\w+: /, '')
        .replace(/\.$/, ''),
    );
  }
  const hour = fields.length === 1 ? null : fields[fields.length - 4];
  return {
    after: (wall) => cron.nextRun(new Date(wall))?.getTime() ?? null,
    isRhythm: hour === null ? /^@hourly$/i.test(text) : hour === '*',
  };
}

const hourMs = 3_600_000;

/**
 * The local times after `wall` that a schedule names. Minutes and seconds are the same in every hour in which it is
 * due: once a whole hour was gone through, only the first time of each hour is looked for.
 */
function* wallsAfter(cron: CronSchedule, wall: Wall): Generator<Wall> {
  let hour = Math.floor(wall / hourMs);
  /** Times of `hour`, in ms from its start; the first hour may be begun in its middle. */
  let times: number[] = [];
  let isWhole = false;
  let known: number[] | null = null;
  for (let next = cron.after(wall); next !== null; next = cron.after(next)) {
    const its = Math.floor(next / hourMs);
    if (its !== hour) {
      if (isWhole) known ??= times;
      [hour, times, isWhole] = [its, [], true];
    }
    if (known === null) {
      times.push(next - hour * hourMs);
      yield next;
    } else
      for (const time of known) {
        next = hour * hourMs + time;
        yield next;
      }
  }
}

/**
 * The instants after `from` at which a schedule is due, in order, without an end of its own.
 *
 * A time of day that a change of the clocks leaves out is due at the first instant after it; several of them, or one that
 * is due then anyway, are one. A time of day that comes twice is due the first time. What names every hour is a rhythm
 * and goes on: what is left out is left out, what comes twice is due twice.
 */
export function* dueInstants(cron: CronSchedule, zone: Zone, from: number): Generator<number> {
  // Near a change, clocks may show again what they have shown: begin early and drop what is not after `from`.
  const isNearShift = zone.shiftsBetween(from - 2 * largestShiftMs, from + 2 * largestShiftMs).length > 0;
  const begin = zone.wallOf(from) - (isNearShift ? backOf(zone, from) : 0);
  let last = from;
  let waiting: number[] = [];
  for (const wall of wallsAfter(cron, begin)) {
    const instants = zone.instantsOf(wall);
    // As nearly always, far from a change of the clocks.
    if (waiting.length === 0 && instants.length === 1) {
      const [at = last] = instants;
      if (at > last) yield at;
      last = Math.max(last, at);
      continue;
    }
    const due = cron.isRhythm ? instants : [instants[0] ?? zone.endOfGap(wall)];
    // Second occurrences wait until the first ones of their hour are through.
    const first = due[0] ?? Number.POSITIVE_INFINITY;
    const [ready, rest] = [waiting.filter((at) => at <= first), waiting.filter((at) => at > first)];
    waiting = rest;
    for (const at of [...ready, ...due.slice(0, 1)]) {
      if (at <= last) continue;
      last = at;
      yield at;
    }
    waiting.push(...due.slice(1));
  }
  for (const at of waiting.sort((a, b) => a - b)) if (at > last) yield at;
}

/** How far back clocks were set in the days around, and a little more. */
function backOf(zone: Zone, from: number): number {
  const shifts = zone.shiftsBetween(from - 2 * largestShiftMs, from + 2 * largestShiftMs);
  return Math.max(...shifts.map(({ before, after }) => Math.abs(after - before))) + 1000;
}
