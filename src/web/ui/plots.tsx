// Plots of points by time bucket on cards, one line or bar part a series; a series has one colour in all of them.
import { t } from '../base/i18n.ts';
import { Plot } from './plot.tsx';
import type { Series } from './scale.ts';

interface Point {
  bucketStartUtc: string;
  series: string | null;
}

/** From when on, in buckets of which length; both ms. */
export interface TimeSpan {
  from: number;
  bucket: number;
}

export interface PlotOf<P extends Point> {
  title: string;
  /** What the plot shows, for screen readers. */
  label: string;
  value: (point: P) => number;
  format: (value: number) => string;
  /** Bars are sums and stand on each other; lines are averages. */
  kind?: 'line' | 'bar';
  /** Points that have no such value, though they have others. */
  lacks?: (point: P) => boolean;
  /** What is said below the plot. */
  note?: string | null;
  /** What is said instead where all is 0. */
  nothing?: string;
}

/** Series with a colour of their own; more colours would look alike. */
const mostSeries = 5;

/** The beginnings of the span's buckets, which lie on UTC hours or days. */
function bucketsOf({ from, bucket }: TimeSpan): number[] {
  const first = Math.floor(from / bucket) * bucket;
  return Array.from({ length: Math.ceil((Date.now() - first) / bucket) }, (_, index) => first + index * bucket);
}

type NameOf = (point: Point) => string;

/** Names of the weightiest series, weightiest first. */
function weightiest<P extends Point>(points: readonly P[], weight: (point: P) => number, nameOf: NameOf): string[] {
  const weights = new Map<string, number>();
  for (const point of points) weights.set(nameOf(point), (weights.get(nameOf(point)) ?? 0) + weight(point));
  return [...weights]
    .sort(([, a], [, b]) => b - a)
    .slice(0, mostSeries)
    .map(([name]) => name);
}

/** The named series; of bars also the sum of all others. */
function seriesOf<P extends Point>(
  points: readonly P[],
  named: readonly string[],
  { value, kind, lacks }: PlotOf<P>,
  nameOf: NameOf,
): Series[] {
  const sums = new Map<string, Map<number, number>>();
  for (const point of points) {
    if (lacks?.(point)) continue;
    const name = named.includes(nameOf(point)) ? nameOf(point) : kind === 'line' ? null : t('others');
    if (name === null) continue;
    const own = sums.get(name) ?? new Map<number, number>();
    const at = Date.parse(point.bucketStartUtc);
    sums.set(name, own.set(at, (own.get(at) ?? 0) + value(point)));
  }
  return [...named, t('others')].flatMap((name) => {
    const own = sums.get(name);
    return own ? [{ name, points: Array.from(own, ([at, sum]) => ({ at, value: sum })) }] : [];
  });
}

interface PlotsProps<P extends Point> {
  points: readonly P[];
  span: TimeSpan;
  /** Which series are shown by name is decided by this. */
  weight: (point: P) => number;
  plots: readonly PlotOf<P>[];
  /** What points are called whose series has no name. */
  unnamed?: string;
}

export function Plots<P extends Point>({ points, span, weight, plots, unnamed = t('all') }: PlotsProps<P>) {
  const nameOf = (point: Point) => point.series ?? unnamed;
  const named = weightiest(points, weight, nameOf);
  return (
    <div className="cards-2">
      {plots.map((plot) => (
        <section key={plot.title} className="card">
          <div className="card-head">
            <h2>{plot.title}</h2>
          </div>
          <div className="card-body">
            {plot.nothing && points.every((point) => plot.value(point) === 0) ? (
              <p className="muted plot-nothing">{plot.nothing}</p>
            ) : (
              <Plot
                label={plot.label}
                kind={plot.kind ?? 'bar'}
                format={plot.format}
                axis={bucketsOf(span)}
                series={seriesOf(points, named, plot, nameOf)}
              />
            )}
            {plot.note && <p className="muted small">{plot.note}</p>}
          </div>
        </section>
      ))}
    </div>
  );
}
