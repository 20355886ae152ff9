// Where the figures of a plot are on the screen: pure arithmetic.

export interface Series {
  name: string;
  points: { at: number; value: number }[];
}

/** Pixels around what is drawn, and the height of all. */
export const frame = { left: 52, bottom: 22, top: 8, height: 200 } as const;

/** Above this span days are named, below it hours; ms. */
const longSpanMs = 172_800_000;
/** Pixels that the name of a time needs. */
const timeWidth = 80;

export interface Scale {
  width: number;
  /** All times that have a place, ms. */
  times: readonly number[];
  /** Values with a line of their own. */
  levels: readonly number[];
  /** Pixels that each time has. */
  slot: number;
  /** Each how many times one is named. */
  every: number;
  x(at: number): number;
  y(value: number): number;
  timeText(at: number): string;
}

/** 1, 2 or 5 times a power of ten, so that `parts` steps reach the top. */
function niceStep(max: number, parts: number): number {
  const raw = Math.max(max, 1e-9) / parts;
  const power = 10 ** Math.floor(Math.log10(raw));
  return ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
}

/** The highest bar, of which the parts of one time stand on each other, or the highest point. */
function highest(series: readonly Series[], kind: 'line' | 'bar'): number {
  const sums = new Map<number, number>();
  for (const { at, value } of series.flatMap((one) => one.points))
    sums.set(at, kind === 'bar' ? (sums.get(at) ?? 0) + value : Math.max(sums.get(at) ?? 0, value));
  return Math.max(0, ...sums.values());
}

/** `axis` are times that are there even where nothing happened, ms; `width` is in pixels. */
export function scaleOf(
  series: readonly Series[],
  kind: 'line' | 'bar',
  axis: readonly number[],
  width: number,
): Scale {
  const known = new Set([...axis, ...series.flatMap((one) => one.points.map(({ at }) => at))]);
  const times = [...known].sort((a, b) => a - b);
  const [first = 0, last = 1] = [times[0], times.at(-1)];
  const max = highest(series, kind);
  const step = niceStep(max, 4);
  const limit = Math.max(step, Math.ceil(max / step) * step);
  const slot = (width - frame.left - 8) / Math.max(1, times.length);
  const isLong = last - first > longSpanMs;
  const format = new Intl.DateTimeFormat(
    undefined,
    isLong ? { month: 'short', day: 'numeric', timeZone: 'UTC' } : { hour: '2-digit', minute: '2-digit' },
  );
  const inSlots = kind === 'bar' || times.length < 2;
  return {
    width,
    times,
    levels: max === 0 ? [0] : Array.from({ length: Math.round(limit / step) + 1 }, (_, i) => i * step),
    slot,
    every: Math.ceil(times.length / Math.max(1, Math.floor((width - frame.left) / timeWidth))),
    x: (at) =>
      inSlots
        ? frame.left + (times.indexOf(at) + 0.5) * slot
        : frame.left + ((at - first) / Math.max(1, last - first)) * (width - frame.left - 12),
    y: (value) => frame.top + (1 - value / limit) * (frame.height - frame.top - frame.bottom),
    timeText: (at) => format.format(at),
  };
}

/** The time whose place is nearest to so many pixels from the left; null where there is none. */
export function nearestTime({ times, x }: Scale, pixels: number): number | null {
  const distance = (at: number) => Math.abs(x(at) - pixels);
  return times.reduce<number | null>((best, at) => (best === null || distance(at) < distance(best) ? at : best), null);
}
