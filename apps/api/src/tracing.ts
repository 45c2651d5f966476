import { createRequire, register } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DiagLogger, Span } from '@opentelemetry/api';
import type { Request } from 'express';
import type { Log } from './observability/logger.js';
import { PREVIEW_VERSION } from './openapi/preview-version.js';

/** Tracing of this process. */
export interface Tracing {
  /** `trace_id` and `span_id` of the active span, for the log; empty outside a span. */
  readonly logFields: () => object;
  /** Logs that tracing is on, and OpenTelemetry's warnings and errors, including earlier ones. */
  readonly logTo: (log: Log) => void;
  /** Sends the remaining spans, for two seconds at most. Never rejects. */
  readonly flush: () => Promise<void>;
}

/** Milliseconds that the process waits at its end for the last spans to be sent. */
const FLUSH_TIMEOUT = 2_000;

/** Requested all the time, by supervisors and Prometheus. */
const UNTRACED = /^\/(?:health|metrics)\b/;

/** Packages that are instrumented when they are loaded, so they are not bundled (rolldown.config.js). */
const INSTRUMENTED = ['http', 'pg'];

/**
 * Whether OpenTelemetry's standard variables turn tracing on, by naming an exporter or where it sends spans
 * (OpenTelemetry, "Environment Variable Specification").
 */
export function isTracingEnabled(env: Record<string, string | undefined>): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  const exporter = env['OTEL_TRACES_EXPORTER'];
  if (exporter) return exporter !== 'none';
  return Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}

/**
 * Starts OpenTelemetry's SDK if its variables turn it on, else loads nothing of it. The SDK reads the `OTEL_*`
 * variables itself. Only packages that are imported afterwards are traced.
 *
 * @throws Error if tracing is on and OpenTelemetry is not installed
 */
export async function startTracing(env: Record<string, string | undefined>): Promise<Tracing | undefined> {
  if (!isTracingEnabled(env)) return undefined;
  if (!isInstalled('@opentelemetry/sdk-node')) {
    throw new Error(
      'OTEL_* variables turn tracing on, but this bundle was made without OpenTelemetry. Set OTEL_SDK_DISABLED=true, or make the bundle with traces.',
    );
  }
  const { diag, DiagLogLevel, trace } = await import('@opentelemetry/api');
  const lines = new TraceLines();
  diag.setLogger(lines, DiagLogLevel.WARN);
  const { HttpInstrumentation } = await import('@opentelemetry/instrumentation-http');
  const { PgInstrumentation } = await import('@opentelemetry/instrumentation-pg');
  const { NodeSDK, resources } = await import('@opentelemetry/sdk-node');
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url, { data: { include: INSTRUMENTED } });
  const sdk = new NodeSDK({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence.
    resource: resources.resourceFromAttributes({
      'service.name': 'booking-service',
      'service.version': PREVIEW_VERSION,
    }),
    instrumentations: [
      new HttpInstrumentation({
        disableOutgoingRequestInstrumentation: true,
        ignoreIncomingRequestHook: ({ url = '' }) => UNTRACED.test(url),
        // A query names what is booked: it is kept out of traces as it is out of the log.
        startIncomingSpanHook: () => ({ 'url.query': undefined }),
        applyCustomAttributesOnSpan: nameByRoute,
      }),
      new PgInstrumentation({ requireParentSpan: true }),
    ],
    // Metrics are served at /metrics, and the log is on standard output.
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  const exporter = env['OTEL_TRACES_EXPORTER'] || 'otlp';
  return {
    logTo: (log) => lines.writeTo(log, exporter),
    logFields: () => {
      const span = trace.getActiveSpan()?.spanContext();
      return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
    },
    // Lost spans justify neither another exit code nor a long wait for a missing collector.
    flush: async () => {
      await Promise.race([sdk.shutdown().catch(() => {}), sleep(FLUSH_TIMEOUT)]);
    },
  };
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Express's own instrumentation makes a span for every layer; only the route is needed. */
function nameByRoute(span: Span, request: object): void {
  const { method, route } = request as Request;
  if (route === undefined) return;
  const { path } = route as { path: string };
  span.setAttribute('http.route', path);
  span.updateName(`${method} ${path}`);
}

/** Milliseconds until a message is logged again: an exporter without a collector repeats it every few seconds. */
const REPEAT_INTERVAL = 10 * 60_000;

/** Writes OpenTelemetry's own messages to the log. Those from before there is a log are kept until then. */
class TraceLines implements DiagLogger {
  private readonly writtenAt = new Map<string, number>();
  private early: (() => void)[] | undefined = [];
  private log: Log | undefined;

  /** Logs that tracing is on, then the messages that were kept. */
  writeTo(log: Log, exporter: string): void {
    this.log = log;
    log.info({ exporter }, 'Tracing is on');
    for (const write of this.early ?? []) write();
    this.early = undefined;
  }

  error(message: string): void {
    this.write(message);
  }

  warn(message: string): void {
    this.write(message);
  }

  info(): void {}
  debug(): void {}
  verbose(): void {}

  private write(message: string): void {
    if (this.log === undefined) return void this.early?.push(() => this.write(message));
    const text = inBrief(message);
    const now = performance.now();
    if (now < (this.writtenAt.get(text) ?? -Infinity) + REPEAT_INTERVAL) return;
    this.writtenAt.set(text, now);
    this.log.warn({ reason: text }, 'OpenTelemetry');
  }
}

/** Exporters' errors are JSON with a stack. */
function inBrief(message: string): string {
  try {
    const { code, name, message: text } = JSON.parse(message) as Record<string, string | undefined>;
    return ['Traces cannot be exported:', name, code, text].filter(Boolean).join(' ');
  } catch {
    return message;
  }
}
