// Time window that a question names, and the question without it.
import type { ParsedResult } from 'chrono-node';

export interface Window {
  from: number;
  until: number;
}

const dayMs = 24 * 60 * 60_000;
/** Words of a question about time; without them nothing is parsed, since parsing costs more than a search. */
const hint =
  /\b\d|\b(yesterday|today|tonight|tomorrow|last|past|ago|this|since|before|after|during|week|weekend|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter)\b/i;

/**
 * @param now - reference of `yesterday`, ms since 1970
 * @returns null where the question names no time that has passed
 */
export async function windowOf(question: string, now: number): Promise<Window | null> {
  if (!hint.test(question)) return null;
  const { en } = await import('chrono-node');
  const [found] = en.parse(question, { instant: new Date(now), timezone: 0 }, { forwardDate: false });
  if (!found) return null;
  const from = startOf(found);
  const until = found.end ? startOf({ start: found.end }) + lengthOf({ start: found.end }) : from + lengthOf(found);
  return from > now ? null : { from, until };
}

type Point = Pick<ParsedResult, 'start'>;

/** Window of a day, a month or a year, as exact as the question. */
function lengthOf({ start }: Point): number {
  if (start.isCertain('hour')) return 60 * 60_000;
  if (start.isCertain('day') || start.isCertain('weekday')) return dayMs;
  if (start.isCertain('month')) return 31 * dayMs;
  if (start.isCertain('year')) return 366 * dayMs;
  return dayMs;
}

function startOf({ start }: Point): number {
  const date = start.date();
  if (start.isCertain('hour')) return date.getTime();
  const exact = start.isCertain('day') || start.isCertain('weekday');
  const monthly = start.isCertain('month');
  const day = exact || !(monthly || start.isCertain('year')) ? date.getUTCDate() : 1;
  const month = exact || monthly || !start.isCertain('year') ? date.getUTCMonth() : 0;
  return Date.UTC(date.getUTCFullYear(), month, day);
}

export const isWithin = (at: Date, window: Window) => at.getTime() >= window.from && at.getTime() < window.until;
