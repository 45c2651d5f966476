import { type ProblemName, problemTypes } from '@booking-service/contracts';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The state of a pool of connections. */
export interface PoolState {
  /** Connections that are open, in use or not. */
  readonly total: number;
  readonly idle: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

/**
 * The metrics of one application and of its process. Each application has a registry of its own, so that those of
 * several applications in one process (tests) do not add up; whoever has something to measure registers it there.
 */
export class Metrics {
  readonly registry = new Registry();

  /** Seconds from the arrival of a request to the end of its response; the status is 499 without one. */
  readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });

  /** Responses that were problems, by the name at the end of their type. */
  readonly problems = new Counter({
    name: 'http_problems_total',
    help: 'Responses that were problems, by the name at the end of their type',
    labelNames: ['problem'],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // From 0 on: a rate does not see a counter that begins with its first event.
    for (const problem of Object.keys(problemTypes) as ProblemName[]) this.problems.inc({ problem }, 0);
  }

  /** Measures a pool of connections to the database whenever the metrics are read. */
  watchPool(read: () => PoolState): void {
    const watch = (name: string, help: string, value: () => number): void => {
      const gauge: Gauge = new Gauge({ name, help, registers: [this.registry], collect: () => gauge.set(value()) });
    };
    watch('database_pool_connections', 'Open connections to the database', () => read().total);
    watch('database_pool_idle_connections', 'Open connections to the database that are not in use', () => read().idle);
    watch('database_pool_waiting', 'Statements that wait for a connection', () => read().waiting);
  }
}
