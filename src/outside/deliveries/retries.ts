// When a delivery is tried again: eight times within a day, each time later, with jitter; a receiver may ask for longer.

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** Waits between attempts in ms; further ones are as long as the last. */
const waits = [5 * second, minute, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 7 * hour, 9 * hour] as const;
const longestWait = 24 * hour;
/** Part of a wait that chance decides. */
const jitter = 0.2;

/** The first attempt and one after each wait: a day. */
export const defaultAttempts: number = waits.length + 1;

/**
 * Milliseconds until the next attempt.
 *
 * @param attempt - the one that failed, 1 for the first
 * @param asked - what the receiver asked for with `Retry-After`, in ms
 */
export function waitAfter(attempt: number, asked: number | null, random: () => number = Math.random): number {
  const wait = waits[Math.min(attempt, waits.length) - 1] ?? longestWait;
  const spread = wait * (1 - jitter / 2 + jitter * random());
  return Math.round(Math.max(spread, Math.min(asked ?? 0, longestWait)));
}

/** What `Retry-After` asks for in ms: seconds or a date; null for anything else. */
export function retryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * second;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
