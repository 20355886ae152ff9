// OpenTelemetry traces, exported by OTLP over HTTP when an endpoint is set; otherwise every span is a no-op.
import {
  type Attributes,
  context,
  type ProxyTracerProvider,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Logger } from '../kernel/logger.ts';

const tracer = () => trace.getTracer('rivulet');

/** Starts the exporter. Returns a function that sends what is left and stops. */
export async function startTracing(options: {
  endpoint: string | null;
  /** Attributes of the process. */
  resource: Record<string, string>;
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
    resource: resourceFromAttributes(options.resource),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  const isRegistered = () => (trace.getTracerProvider() as ProxyTracerProvider).getDelegate() === provider;
  options.logger.info({ endpoint: options.endpoint }, 'traces are exported');
  return async () => {
    await provider
      .shutdown()
      .catch((error: unknown) => options.logger.warn({ error }, 'the last traces could not be sent'));
    // Tracking the context slows every promise of the process a little.
    if (isRegistered()) for (const api of [trace, context, propagation]) api.disable();
  };
}

export interface ActiveSpan {
  set(attributes: Attributes): void;
  end(error?: unknown): void;
  /** Runs `work` with this span as the parent of spans begun inside. */
  within<T>(work: () => T): T;
  /** Headers that name this span to another server; none where nothing is traced. */
  headers(): Record<string, string>;
}

/** Longest name of a span: it may hold the name of a model or tool that a client made up. */
const maxName = 120;

/** The span under way as a `traceparent` (W3C Trace Context); null outside of any. */
export const currentParent = (): string | null => headersOf(context.active()).traceparent ?? null;

function headersOf(of: ReturnType<typeof context.active>): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(of, headers);
  return headers;
}

/**
 * Begins a span that the caller must end. Its parent is the span under way, unless another one is named by the headers
 * of a request or a run's `traceparent` (null: it begins a trace).
 */
export function beginSpan(
  name: string,
  attributes: Attributes,
  kind: 'internal' | 'client' | 'server' = 'internal',
  parent?: { traceparent?: string | undefined; tracestate?: string | undefined } | null,
): ActiveSpan {
  const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, server: SpanKind.SERVER };
  const from = parent === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, parent ?? {});
  const span = tracer().startSpan(name.slice(0, maxName), { attributes, kind: kinds[kind] }, from);
  const own = trace.setSpan(from, span);
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
    within: (work) => context.with(own, work),
    headers: () => headersOf(own),
  };
}
