import { Controller, Get, Header } from '@nestjs/common';
import { operations } from '@booking-service/contracts';
import type { NextFunction, Request, Response } from 'express';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** The figures of one application; each application has its own, so that tests do not add up. */
export class Metrics {
  readonly registry = new Registry();

  private readonly duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Express middleware. */
  readonly measure = (request: Request, response: Response, next: NextFunction): void => {
    const start = performance.now();
    response.once('finish', () => {
      const labels = { operation: operationOf(request), status: String(response.statusCode) };
      this.duration.observe(labels, (performance.now() - start) / 1000);
    });
    next();
  };
}

const operationIds = new Map(
  Object.entries(operations).map(([id, { method, path }]) => [`${method} ${path.replace(/\{(\w+)\}/, ':$1')}`, id]),
);

/** The operation that a request was routed to; `other` for all else, so that no caller can make up labels. */
function operationOf(request: Request): string {
  const route = request.route as { path: string } | undefined;
  return operationIds.get(`${request.method} ${route?.path}`) ?? 'other';
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
