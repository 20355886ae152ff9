// OpenTelemetry traces, exported by OTLP over HTTP when an endpoint is set; otherwise every span is a no-op.
import { type Attributes, context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Logger } from '../kernel/logger.ts';

const tracer = () => trace.getTracer('rivulet');

/** Starts the exporter. Returns a function that sends what is left and stops. */
export async function startTracing(options: {
  endpoint: string | null;
  version: string;
  nodeId: string;
  logger: Logger;
}): Promise<() => Promise<void>> {
  if (!options.endpoint) return async () => undefined;
  const [{ NodeTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const exporter = new OTLPTraceExporter({ url: `${options.endpoint.replace(/\/$/, '')}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'rivulet',
      'service.version': options.version,
      'service.instance.id': options.nodeId,
    }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  options.logger.info({ endpoint: options.endpoint }, 'traces are exported');
  return async () => {
    await provider
      .shutdown()
      .catch((error: unknown) => options.logger.warn({ error }, 'the last traces could not be sent'));
  };
}

export interface ActiveSpan {
  set(attributes: Attributes): void;
  end(error?: unknown): void;
  /** Runs `work` with this span as the parent of spans begun inside. */
  within<T>(work: () => T): T;
}

/** Begins a span that the caller must end. */
export function beginSpan(
  name: string,
  attributes: Attributes,
  kind: 'internal' | 'client' | 'server' = 'internal',
): ActiveSpan {
  const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, server: SpanKind.SERVER };
  const span = tracer().startSpan(name, { attributes, kind: kinds[kind] });
  return {
    set: (more) => {
      span.setAttributes(more);
    },
    end: (error) => {
      if (error !== undefined) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
        if (error instanceof Error) span.setAttribute('error.type', 'code' in error ? String(error.code) : error.name);
      }
      span.end();
    },
    within: (work) => context.with(trace.setSpan(context.active(), span), work),
  };
}
