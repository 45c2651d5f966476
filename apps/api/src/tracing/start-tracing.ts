import { register } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SpanContext, trace } from '@opentelemetry/api';
import { ExpressInstrumentation, ExpressLayerType } from '@opentelemetry/instrumentation-express';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { NodeSDK, resources } from '@opentelemetry/sdk-node';
import { PREVIEW_VERSION } from '../openapi/preview-version.js';
import type { Tracing } from './tracing.js';

/** Milliseconds for which the end of the process waits until the last spans are sent. */
const FLUSH_LIMIT = 2_000;

/** What supervisors and Prometheus ask all the time. */
const UNTRACED = /^\/(?:health|metrics)\b/;

/**
 * Starts the SDK of OpenTelemetry, which reads its settings from the `OTEL_*` variables itself. Only
 * what is imported afterwards is traced.
 */
export function startTracing(): Tracing {
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
  const sdk = new NodeSDK({
    // What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say wins over this.
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
      }),
      // Of Express only the route is wanted, not a span for each step to it.
      new ExpressInstrumentation({ ignoreLayersType: Object.values(ExpressLayerType) }),
      new PgInstrumentation({ requireParentSpan: true }),
    ],
    // Figures are at /metrics and lines on standard output.
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  return { logFields, stop: () => flush(sdk) };
}

/** Traces are not worth an exit code, nor a long wait for a collector that is away. */
async function flush(sdk: NodeSDK): Promise<void> {
  await Promise.race([sdk.shutdown().catch(() => {}), sleep(FLUSH_LIMIT)]);
}

function logFields(): object {
  const context: SpanContext | undefined = trace.getActiveSpan()?.spanContext();
  return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId };
}
