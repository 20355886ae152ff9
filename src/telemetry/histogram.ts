// Histograms that cost little to record: each series is found by one look-up and is a few numbers.

/** One sample as prom-client renders it. */
interface Sample {
  metricName: string;
  labels: Record<string, string | number>;
  value: number;
}

interface Series {
  labels: Record<string, string>;
  /** Values in each bucket alone; the last one is beyond all bounds. */
  counts: number[];
  sum: number;
  count: number;
}

/** A histogram that a registry of prom-client can hold; its own checks and sorts the labels at every value. */
export class Histogram {
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly name: string;
  readonly help: string;
  readonly #labelNames: readonly string[];
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();

  /** `bounds` are the upper ends of the buckets, in rising order. */
  constructor(options: { name: string; help: string; labelNames: readonly string[]; bounds: readonly number[] }) {
    this.name = options.name;
    this.help = options.help;
    this.#labelNames = options.labelNames;
    this.#bounds = options.bounds;
  }

  observe(labels: Record<string, string>, value: number): void {
    let key = '';
    for (const name of this.#labelNames) key += `${labels[name]}\0`;
    let series = this.#series.get(key);
    if (!series) {
      series = { labels: { ...labels }, counts: new Array(this.#bounds.length + 1).fill(0), sum: 0, count: 0 };
      this.#series.set(key, series);
    }
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket++;
    series.counts[bucket] = (series.counts[bucket] as number) + 1;
    series.sum += value;
    series.count++;
  }

  /** What the registry asks for; buckets are cumulative. */
  get(): { name: string; help: string; type: string; aggregator: string; values: Sample[] } {
    const values = [...this.#series.values()].flatMap((series) => this.#samplesOf(series));
    return { name: this.name, help: this.help, type: this.type, aggregator: this.aggregator, values };
  }

  reset(): void {
    this.#series.clear();
  }

  #samplesOf({ labels, counts, sum, count }: Series): Sample[] {
    let below = 0;
    const buckets = this.#bounds.map((bound, at) => {
      below += counts[at] as number;
      return { metricName: `${this.name}_bucket`, labels: { le: bound, ...labels }, value: below };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ];
  }
}
