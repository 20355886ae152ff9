// Prometheus metrics: parts register what they count and measure; the text is rendered on demand.
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  type Metric,
  type OpenMetricsContentType,
  type PrometheusContentType,
  Registry,
} from 'prom-client';
import type { MetricsFormat } from '../contract/enums.ts';
import { loopLookMs } from '../kernel/loop-lag.ts';
import { Histogram } from './histogram.ts';

type Labels = Record<string, string>;

export interface Metrics {
  /** Returns a function that adds to the counter. */
  counter(name: string, help: string, labelNames?: string[]): (labels?: Labels, by?: number) => void;
  /** Returns a function that records a value, in the unit that the name ends with. */
  histogram(
    name: string,
    help: string,
    labelNames: string[],
    buckets: number[],
  ): (labels: Labels, value: number) => void;
  /** `read` is called when metrics are asked for; an object gives one value for each value of `label`. */
  gauge(name: string, help: string, read: () => number | Record<string, number>, label?: string): void;
  text(format: MetricsFormat): Promise<{ mediaType: string; body: string }>;
  /** Every metric with its samples. */
  snapshot(): Promise<MetricSnapshot[]>;
}

export interface MetricSnapshot {
  name: string;
  help: string;
  /** `counter`, `gauge`, `histogram` or `summary`. */
  type: string;
  values: { metricName?: string; labels: Record<string, string | number>; value: number }[];
}

/** A registry of its own, with Node's process metrics, each name prefixed by `rivulet_`. */
export function createMetrics(): Metrics {
  const registry = new Registry<PrometheusContentType | OpenMetricsContentType>();
  collectDefaultMetrics({
    register: registry as Registry<PrometheusContentType>,
    prefix: 'rivulet_',
    eventLoopMonitoringPrecision: loopLookMs,
  });
  // Gauges by the name of a counter, which linters of metrics refuse; those without `_total` tell the same by type.
  for (const kind of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`rivulet_nodejs_active_${kind}_total`);
  const registers = [registry];
  return {
    counter: (name, help, labelNames = []) => {
      const counter = new Counter({ name: `rivulet_${name}`, help, labelNames, registers });
      return (labels = {}, by = 1) => counter.inc(labels, by);
    },
    histogram: (name, help, labelNames, buckets) => {
      const histogram = new Histogram({ name: `rivulet_${name}`, help, labelNames, bounds: buckets });
      registry.registerMetric(histogram as unknown as Metric);
      return (labels, value) => histogram.observe(labels, value);
    },
    gauge: (name, help, read, label) => {
      new Gauge({
        name: `rivulet_${name}`,
        help,
        labelNames: label ? [label] : [],
        registers,
        collect() {
          const value = read();
          if (typeof value === 'number') return this.set(value);
          this.reset();
          for (const [key, one] of Object.entries(value)) this.set({ [label ?? 'kind']: key }, one);
        },
      });
    },
    text: async (format) => {
      registry.setContentType(
        format === 'OpenMetrics' ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE,
      );
      return { mediaType: registry.contentType, body: await registry.metrics() };
    },
    snapshot: async () => (await registry.getMetricsAsJSON()) as unknown as MetricSnapshot[],
  };
}
