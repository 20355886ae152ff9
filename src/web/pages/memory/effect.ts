// How often people were asked, before something changed and since: pure arithmetic on days.
export const dayMs = 86_400_000;

interface Point {
  at: number;
  value: number;
}

export interface Effect {
  /** Beginnings of the days, ms. */
  days: number[];
  before: Point[];
  after: Point[];
  /** Null where there was no day to count. */
  beforeAWeek: number | null;
  afterAWeek: number | null;
}

const dayOf = (at: number) => Math.floor(at / dayMs) * dayMs;

export function effectOf(
  asked: readonly { createdAtUtc: string }[],
  since: number,
  now: number,
  spanDays: number,
): Effect {
  const first = dayOf(since - spanDays * dayMs);
  const days = Array.from({ length: Math.floor((now - first) / dayMs) + 1 }, (_, n) => first + n * dayMs);
  const times = asked
    .map(({ createdAtUtc }) => Date.parse(createdAtUtc))
    .filter((at) => at >= since - spanDays * dayMs);
  const [earlier, later] = [times.filter((at) => at < since), times.filter((at) => at >= since)];
  const week = (count: number, ms: number) => (ms < dayMs ? null : (count * 7 * dayMs) / ms);
  return {
    days,
    before: pointsOf(earlier),
    after: pointsOf(later),
    beforeAWeek: week(earlier.length, spanDays * dayMs),
    afterAWeek: week(later.length, now - since),
  };
}

function pointsOf(times: readonly number[]): Point[] {
  const counts = new Map<number, number>();
  for (const at of times) counts.set(dayOf(at), (counts.get(dayOf(at)) ?? 0) + 1);
  return [...counts].map(([at, value]) => ({ at, value }));
}
