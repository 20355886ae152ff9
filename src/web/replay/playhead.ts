// The playhead of a replay: where it stands after some time of play, and which event comes next.

/** Speeds of play, times real time. */
export const speeds = [1, 2, 5, 10, 20, 50] as const;
export type Speed = (typeof speeds)[number];

/** Longest time of play without an event, ms: a longer wait is skipped, but for its end. */
const longestWait = 2000;
const waitsEnd = 400;

/** The place of the first time after `at` in growing times. */
export function nextAfter(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The moment after `elapsed` ms of play from `at`. Waits that would take long at this speed are skipped. At most the last
 * event's time.
 *
 * @param times - times of all events, growing, ms since 1970
 */
export function playedTo(times: readonly number[], at: number, elapsed: number, speed: number): number {
  const last = times.at(-1) ?? at;
  const next = times[nextAfter(times, at)];
  if (next === undefined) return last;
  const from = next - at > longestWait * speed ? next - waitsEnd * speed : at;
  return Math.min(last, from + elapsed * speed);
}

/** The time of the event after a moment, or of the one before it; the moment itself where there is none. */
export function stepFrom(times: readonly number[], at: number, by: 1 | -1): number {
  if (by === 1) return times[nextAfter(times, at)] ?? at;
  // Times before `at`: those up to it, less its own.
  return times[nextAfter(times, at - 1) - 1] ?? at;
}
