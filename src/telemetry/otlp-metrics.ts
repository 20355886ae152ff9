// Sends the same metrics that Prometheus reads by OTLP, where an endpoint is set.
import type { DataPoint, Histogram, MetricData, MetricProducer } from '@opentelemetry/sdk-metrics';
import type { Logger } from '../kernel/logger.ts';
import type { MetricSnapshot, Metrics } from './metrics.ts';

type Sdk = typeof import('@opentelemetry/sdk-metrics');

/** Milliseconds between two exports. */
const everyMs = 60_000;

interface Options {
  endpoint: string | null;
  metrics: Metrics;
  /** Attributes of the process, as traces have them. */
  resource: Record<string, string>;
  logger: Logger;
}

/** Starts the exporter. Returns a function that sends the last values and stops. */
export async function exportMetrics({ endpoint, metrics, resource, logger }: Options): Promise<() => Promise<void>> {
  if (!endpoint) return async () => undefined;
  const [sdk, { OTLPMetricExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/exporter-metrics-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const about = resourceFromAttributes(resource);
  const since = Date.now();
  const producer: MetricProducer = {
    collect: async () => ({
      resourceMetrics: {
        resource: about,
        scopeMetrics: [
          { scope: { name: 'rivulet' }, metrics: (await metrics.snapshot()).map((one) => toMetric(sdk, one, since)) },
        ],
      },
      errors: [],
    }),
  };
  const reader = new sdk.PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/metrics` }),
    exportIntervalMillis: everyMs,
    metricProducers: [producer],
  });
  const provider = new sdk.MeterProvider({ resource: about, readers: [reader] });
  return async () => {
    await provider
      .shutdown()
      .catch((error: unknown) => logger.warn({ err: error }, 'the last metrics could not be sent'));
  };
}

/** Milliseconds since 1970 as OpenTelemetry writes a time. */
const timeOf = (ms: number): [number, number] => [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];

/** A metric of the registry as OpenTelemetry's data; counts are cumulative since the start of the process. */
export function toMetric(sdk: Sdk, { name, help, type, values }: MetricSnapshot, since: number): MetricData {
  const descriptor = { name, description: help, unit: name.endsWith('_seconds') ? 's' : '', valueType: 1 };
  const times = { startTime: timeOf(since), endTime: timeOf(Date.now()) };
  const common = { descriptor, aggregationTemporality: sdk.AggregationTemporality.CUMULATIVE };
  if (type === 'histogram')
    return { ...common, dataPointType: sdk.DataPointType.HISTOGRAM, dataPoints: histograms(values, times) };
  const dataPoints = values.map(({ labels, value }) => ({ ...times, attributes: labels, value }));
  return type === 'counter'
    ? { ...common, dataPointType: sdk.DataPointType.SUM, dataPoints, isMonotonic: true }
    : { ...common, dataPointType: sdk.DataPointType.GAUGE, dataPoints };
}

/** The series of a histogram, of which Prometheus has a cumulative sample for each bucket. */
function histograms(
  values: MetricSnapshot['values'],
  times: Pick<DataPoint<Histogram>, 'startTime' | 'endTime'>,
): DataPoint<Histogram>[] {
  const series = new Map<string, DataPoint<Histogram>>();
  for (const { metricName = '', labels, value } of values) {
    const { le, ...attributes } = labels;
    const key = JSON.stringify(attributes);
    let point = series.get(key);
    if (!point) {
      point = { ...times, attributes, value: { buckets: { boundaries: [], counts: [] }, sum: 0, count: 0 } };
      series.set(key, point);
    }
    const { buckets } = point.value;
    if (metricName.endsWith('_sum')) point.value.sum = value;
    else if (metricName.endsWith('_count')) point.value.count = value;
    else if (le !== undefined) {
      buckets.counts.push(value - buckets.counts.reduce((sum, count) => sum + count, 0));
      if (le !== '+Inf') buckets.boundaries.push(Number(le));
    }
  }
  return [...series.values()];
}
