import type { Metric, Registry } from 'prom-client';
import { DurationHistogram } from './duration-histogram.js';

export interface PoolState {
  /** Connections that are open, in use or not. */
  readonly total: number;
  readonly idle: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

/** The figures of one application; each application has its own, so that tests do not add up. */
export class Metrics {
  readonly requests = new DurationHistogram(
    'http_request_duration_seconds',
    'Time from the arrival of a request to the end of its answer',
    ['operation', 'status'],
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  );

  readonly store = new DurationHistogram(
    'bookings_store_duration_seconds',
    'Time that the store of the bookings takes',
    ['operation', 'outcome'],
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  );

  /** Where the store has a pool. Called whenever somebody reads the figures. */
  poolState: (() => PoolState) | undefined;

  private readonly others: Metric[] = [];
  private opened: Promise<Registry> | undefined;

  /** Has a metric that its owner keeps read with the others. */
  add(metric: Metric): void {
    this.others.push(metric);
  }

  /**
   * What Prometheus reads. The metrics of the process begin with the first call: `prom-client` is loaded
   * then, which is more work than the rest of a start that does not need it.
   */
  registry(): Promise<Registry> {
    this.opened ??= import('./metrics-registry.js').then(({ openRegistry }) => openRegistry(this, this.others));
    return this.opened;
  }
}
