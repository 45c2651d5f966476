import { createRequire, register } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DiagLogger, Span } from '@opentelemetry/api';
import type { Request } from 'express';
import type { Log } from './observability/logger.js';
import { PREVIEW_VERSION } from './openapi/preview-version.js';

/** Traces of this process, once they are on. */
export interface Tracing {
  /** `trace_id` and `span_id` of the code that runs, for the log; empty outside of a span. */
  readonly logFields: () => object;
  /** Says in the log that traces are on, and from then on what is wrong with them. */
  readonly logTo: (log: Log) => void;
  /** Sends the spans that are not sent yet, for two seconds at most. Never rejects. */
  readonly flush: () => Promise<void>;
}

/** Milliseconds for which the end of the process waits until the last spans are sent. */
const FLUSH_TIMEOUT = 2_000;

/** What supervisors and Prometheus request all the time. */
const UNTRACED = /^\/(?:health|metrics)\b/;

/** Packages that are instrumented while they are loaded: they are not part of the bundle (rolldown.config.js). */
const INSTRUMENTED = ['http', 'pg'];

/**
 * Whether the standard variables of OpenTelemetry ask for traces (OpenTelemetry, "Environment Variable
 * Specification"): by an exporter, or by where it sends to.
 */
export function isTracingAsked(env: Record<string, string | undefined>): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  const exporter = env['OTEL_TRACES_EXPORTER'];
  if (exporter) return exporter !== 'none';
  return Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}

/**
 * Starts OpenTelemetry's SDK where its variables ask for it, and loads nothing of it otherwise. The SDK reads
 * the `OTEL_*` variables itself. Only what is imported afterwards is traced.
 *
 * @throws Error where traces are asked for and OpenTelemetry is not installed
 */
export async function startTracing(env: Record<string, string | undefined>): Promise<Tracing | undefined> {
  if (!isTracingAsked(env)) return undefined;
  if (!isInstalled('@opentelemetry/sdk-node')) {
    throw new Error(
      'OTEL_* variables ask for traces, and this bundle was made without OpenTelemetry. Set OTEL_SDK_DISABLED=true, or bundle it with traces.',
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
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win over this.
    resource: resources.resourceFromAttributes({
      'service.name': 'booking-service',
      'service.version': PREVIEW_VERSION,
    }),
    instrumentations: [
      new HttpInstrumentation({
        disableOutgoingRequestInstrumentation: true,
        ignoreIncomingRequestHook: ({ url = '' }) => UNTRACED.test(url),
        // A query names what is booked: that is the caller's, in traces as in the log.
        startIncomingSpanHook: () => ({ 'url.query': undefined }),
        applyCustomAttributesOnSpan: nameByRoute,
      }),
      new PgInstrumentation({ requireParentSpan: true }),
    ],
    // Metrics are at /metrics and log lines on standard output.
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
    // Spans are worth neither an exit code nor a long wait for a collector that is away.
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

/** The route is all that is wanted of Express, so its own instrumentation, which has a span for each layer, is not used. */
function nameByRoute(span: Span, request: object): void {
  const { method, route } = request as Request;
  if (route === undefined) return;
  const { path } = route as { path: string };
  span.setAttribute('http.route', path);
  span.updateName(`${method} ${path}`);
}

/** Milliseconds in which one message is written once: an exporter that is away says so every few seconds. */
const SILENCE = 10 * 60_000;

/** What OpenTelemetry says of itself, as lines of the one log. It begins before there is a log, and is kept until then. */
class TraceLines implements DiagLogger {
  private readonly writtenAt = new Map<string, number>();
  private early: (() => void)[] | undefined = [];
  private log: Log | undefined;

  /** Says that traces are on, and everything that was kept. */
  writeTo(log: Log, exporter: string): void {
    this.log = log;
    log.info({ exporter }, 'Traces are on');
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
    if (now < (this.writtenAt.get(text) ?? -Infinity) + SILENCE) return;
    this.writtenAt.set(text, now);
    this.log.warn({ reason: text }, 'Traces');
  }
}

/** Errors of exporters come as JSON with their stacks. */
function inBrief(message: string): string {
  try {
    const { code, name, message: text } = JSON.parse(message) as Record<string, string | undefined>;
    return ['Traces cannot be exported:', name, code, text].filter(Boolean).join(' ');
  } catch {
    return message;
  }
}
