// A plot of points by time bucket, one line or bar part a series, on a card.
import { t } from '../base/i18n.ts';
import { Plot, type Series } from './plot.tsx';

interface Point {
  bucketStartUtc: string;
  series: string | null;
}

/** From when on, in buckets of which length; both ms. */
export interface TimeSpan {
  from: number;
  bucket: number;
}

/** The beginnings of the span's buckets, which lie on UTC hours or days. */
function bucketsOf({ from, bucket }: TimeSpan): number[] {
  const first = Math.floor(from / bucket) * bucket;
  return Array.from({ length: Math.ceil((Date.now() - first) / bucket) }, (_, index) => first + index * bucket);
}

interface PlotCardProps<P extends Point> {
  title: string;
  /** What the plot shows, in words for those who do not see it. */
  label: string;
  points: readonly P[];
  span: TimeSpan;
  value: (point: P) => number;
  format: (value: number) => string;
  kind?: 'line' | 'bar';
}

function seriesOf<P extends Point>(points: readonly P[], value: (point: P) => number): Series[] {
  const groups = Map.groupBy(points, (point) => point.series ?? t('all'));
  return Array.from(groups, ([name, own]) => ({
    name,
    points: own.map((point) => ({ at: Date.parse(point.bucketStartUtc), value: value(point) })),
  }));
}

export function PlotCard<P extends Point>({
  title,
  label,
  points,
  span,
  value,
  format,
  kind = 'bar',
}: PlotCardProps<P>) {
  return (
    <section className="card">
      <div className="card-head">
        <h2>{title}</h2>
      </div>
      <div className="card-body">
        <Plot label={label} kind={kind} format={format} axis={bucketsOf(span)} series={seriesOf(points, value)} />
      </div>
    </section>
  );
}
