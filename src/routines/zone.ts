// What clocks on the wall show in a time zone: between an instant and a local time, across every change of the offset.
import { Fault } from '../kernel/fault.ts';

/** Local times are written as if they were UTC: 02:30 on the wall is `Date.UTC(…, 2, 30)`. */
export type Wall = number;

/** An instant from which on clocks show another offset. */
export interface Shift {
  at: number;
  /** Milliseconds east of UTC, before and from then on. */
  before: number;
  after: number;
}

export interface Zone {
  readonly id: string;
  /** Milliseconds east of UTC at an instant. */
  offsetAt(at: number): number;
  wallOf(at: number): Wall;
  /** The instants at which clocks show this: none in a gap, two where the hour comes twice, earliest first. */
  instantsOf(wall: Wall): number[];
  /** The first instant at which clocks show this or more, having shown less: the end of the gap that it lies in. */
  endOfGap(wall: Wall): number;
  /** Changes of the offset after `from`, up to `to`. */
  shiftsBetween(from: number, to: number): Shift[];
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** No two changes of one zone are closer than this; Morocco's Ramadan has two within a month. */
const probeMs = 6 * dayMs;
/** The largest shift that a zone has made: Samoa left out a whole day. */
export const largestShiftMs = dayMs;

const zones = new Map<string, Zone>();

/** @throws Fault INVALID_CRON for a name that is no time zone */
export function zoneOf(id: string): Zone {
  const known = zones.get(id);
  if (known) return known;
  const zone = createZone(id, offsetsOf(id));
  // Names differ in case alone, so there are few; a flood of them is not kept.
  if (zones.size < 2000) zones.set(id, zone);
  return zone;
}

/** Reads offsets from the tables of the runtime, to the minute, as they have been for a century. */
function offsetsOf(id: string): (at: number) => number {
  let format: Intl.DateTimeFormat;
  try {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone: id, hourCycle: 'h23', era: 'short', ...parts });
  } catch {
    throw new Fault('INVALID_CRON', `There is no time zone ${id.slice(0, 100)}.`, {
      hint: 'Use an IANA name such as Europe/Berlin, America/New_York or UTC.',
    });
  }
  return (at) => {
    const shown: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(at)) shown[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = shown;
    return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at / minuteMs) * minuteMs;
  };
}

function createZone(id: string, read: (at: number) => number): Zone {
  const years = new Map<number, Shift[]>();
  /** The offset at the start of each of these years: most zones change in none of them. */
  const starts = new Map<number, number>();
  /** The change between two instants whose offsets differ. */
  const find = (low: number, high: number, before: number): number => {
    let [from, to] = [Math.floor(low / minuteMs), Math.ceil(high / minuteMs)];
    while (to - from > 1) {
      const middle = Math.floor((from + to) / 2);
      if (read(middle * minuteMs) === before) from = middle;
      else to = middle;
    }
    return to * minuteMs;
  };
  const shiftsOf = (year: number): Shift[] => {
    const known = years.get(year);
    if (known) return known;
    const shifts: Shift[] = [];
    const end = Date.UTC(year + 1, 0);
    let at = Date.UTC(year, 0);
    let before = read(at);
    starts.set(year, before);
    while (at < end) {
      const next = Math.min(at + probeMs, end);
      const after = read(next);
      if (after !== before) shifts.push({ at: find(at, next, before), before, after });
      [at, before] = [next, after];
    }
    years.set(year, shifts);
    return shifts;
  };
  const shiftsBetween = (from: number, to: number): Shift[] => {
    const found: Shift[] = [];
    for (let year = yearOf(from); year <= yearOf(to); year++)
      found.push(...shiftsOf(year).filter(({ at }) => at > from && at <= to));
    return found;
  };
  const offsetAt = (at: number): number => {
    const year = yearOf(at);
    const last = shiftsOf(year).findLast((shift) => shift.at <= at);
    return last?.after ?? (starts.get(year) as number);
  };
  return {
    id,
    offsetAt,
    wallOf: (at) => at + offsetAt(at),
    instantsOf: (wall) => {
      const shifts = shiftsBetween(wall - 2 * largestShiftMs, wall + 2 * largestShiftMs);
      if (shifts.length === 0) return [wall - offsetAt(wall)];
      const offsets = shifts.flatMap(({ before, after }) => [before, after]);
      return [...new Set(offsets.map((offset) => wall - offset))]
        .filter((at) => at + offsetAt(at) === wall)
        .sort((a, b) => a - b);
    },
    endOfGap: (wall) =>
      shiftsBetween(wall - 2 * largestShiftMs, wall + 2 * largestShiftMs).find(
        ({ at, before, after }) => wall >= at + before && wall < at + after,
      )?.at ?? wall - offsetAt(wall),
    shiftsBetween,
  };
}

const yearOf = (at: number): number => new Date(at).getUTCFullYear();

/** The day that clocks show, e.g. `2026-11-23`. */
export const dayIn = (zone: Zone, at: number): string => new Date(zone.wallOf(at)).toISOString().slice(0, 10);
