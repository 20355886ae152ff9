// Billing periods: from one anchor day to the next, at midnight in UTC, half-open. Pure.

export const day = 86_400_000;

/** One period; ms since 1970 UTC. */
export interface Period {
  start: number;
  /** Exclusive. */
  end: number;
  /** Length in ms that the plan's price is for: a shorter period costs its share. */
  full: number;
}

export const dayStart = (at: number): number => Math.floor(at / day) * day;
/** The midnight at or after a time. */
export const dayEnd = (at: number): number => Math.ceil(at / day) * day;

/** The anchor of a month, counted from 0 and beyond a year's; 29 to 31 fall on the last day of a shorter one. */
function anchorIn(year: number, month: number, anchorDay: number): number {
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(anchorDay, last));
}

const monthOf = (at: number): [number, number] => {
  const date = new Date(at);
  return [date.getUTCFullYear(), date.getUTCMonth()];
};

/** The first anchor after a time. */
export function anchorAfter(at: number, anchorDay: number): number {
  const [year, month] = monthOf(at);
  const here = anchorIn(year, month, anchorDay);
  return here > at ? here : anchorIn(year, month + 1, anchorDay);
}

/** The last anchor before a time. */
export function anchorBefore(at: number, anchorDay: number): number {
  const [year, month] = monthOf(at);
  const here = anchorIn(year, month, anchorDay);
  return here < at ? here : anchorIn(year, month - 1, anchorDay);
}

/** The period that begins at a midnight. */
export function periodFrom(start: number, anchorDay: number): Period {
  const end = anchorAfter(start, anchorDay);
  return { start, end, full: end - anchorBefore(end, anchorDay) };
}

/** The period of a time where nobody has begun one: from anchor to anchor. */
export const periodAt = (at: number, anchorDay = 1): Period => periodFrom(anchorBefore(at + 1, anchorDay), anchorDay);

/** The period that follows this one, and those after it, up to the one that holds `at`. */
export function periodOf(first: Period, anchorDay: number, at: number): Period {
  let period = first;
  while (at >= period.end) period = periodFrom(period.end, anchorDay);
  return period;
}

/**
 * What a meter will stand at when the period ends, if it goes on as it has so far. Before a hundredth of the period has
 * passed that says nothing yet: it is what was used.
 */
export function projected(used: number, { start, end }: Pick<Period, 'start' | 'end'>, now: number): number {
  const passed = Math.min(now, end) - start;
  return passed * 100 < end - start ? used : used * ((end - start) / passed);
}
