import { Controller, Get, Header } from '@nestjs/common';
import { operations } from '@booking-service/contracts';
import type { Request } from 'express';
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import type { AnswerObserver } from '../http/http-adapter.js';
import { DurationHistogram } from './duration-histogram.js';

/** The figures of one application; each application has its own, so that tests do not add up. */
export class Metrics {
  readonly registry = new Registry();

  private readonly duration = new DurationHistogram(
    'http_request_duration_seconds',
    'Time from the arrival of a request to the end of its answer',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  );

  constructor() {
    this.registry.registerMetric(this.duration as unknown as Metric);
    collectDefaultMetrics({ register: this.registry });
  }

  readonly observe: AnswerObserver = (request, response, seconds) => {
    this.duration.observe(operationOf(request), response.writableFinished ? response.statusCode : 'aborted', seconds);
  };
}

/** Operations by the path of their route, then by method. */
const operationIds = new Map<string | undefined, Map<string, string>>();
for (const [id, { method, path }] of Object.entries(operations)) {
  const route = path.replace(/\{(\w+)\}/, ':$1');
  operationIds.set(route, (operationIds.get(route) ?? new Map<string, string>()).set(method, id));
}

/** The operation that a request was routed to; `other` for all else, so that no caller can make up labels. */
function operationOf(request: Request): string {
  const route = request.route as { path: string } | undefined;
  return operationIds.get(route?.path)?.get(request.method) ?? 'other';
}

@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @Header('Content-Type', Registry.PROMETHEUS_CONTENT_TYPE)
  read(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}
