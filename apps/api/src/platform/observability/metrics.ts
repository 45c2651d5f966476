import { type ProblemName, problemTypes } from '@booking-service/contracts';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of one application and its process. */
export class Metrics {
  readonly registry = new Registry();

  /** In seconds; status 499 for an incomplete response. */
  readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });

  readonly problems = new Counter({
    name: 'http_problems_total',
    help: 'Error responses, by the last part of their problem type',
    labelNames: ['problem'],
    registers: [this.registry],
  });

  /** By the setting that names the file. */
  readonly validFiles = new Gauge({
    name: 'settings_file_valid',
    help: 'Whether the file of the setting is valid; if not, its last valid form is in use',
    labelNames: ['setting'],
    registers: [this.registry],
  });

  constructor(version: string) {
    collectDefaultMetrics({ register: this.registry });
    // From 0: `rate()` does not see the first increment of a new counter.
    for (const problem of Object.keys(problemTypes) as ProblemName[]) this.problems.inc({ problem }, 0);
    new Gauge({
      name: 'booking_service_build_info',
      help: 'Always 1; the labels are the versions of the service and of Node',
      labelNames: ['version', 'node'],
      registers: [this.registry],
    }).set({ version, node: process.version }, 1);
  }

  /** @param read is called for each scrape; undefined leaves the gauge out */
  watch(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        const value = await read();
        if (value === undefined) gauge.remove();
        else gauge.set(value);
      },
    });
  }
}
