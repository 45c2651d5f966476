import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
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
  readonly registry = new Registry();

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

  constructor() {
    for (const histogram of [this.requests, this.store]) this.registry.registerMetric(histogram as unknown as Metric);
    this.countCreates('bookings_created_total', 'Bookings that were kept', 'created');
    this.countCreates('bookings_replayed_total', 'Creates that found the booking of their key', 'replayed');
    this.countCreates('bookings_slots_refused_total', 'Creates whose slot was taken', 'slot_taken');
    collectDefaultMetrics({ register: this.registry });
  }

  /** @param read is called whenever somebody reads the figures */
  watchPool(read: () => PoolState): void {
    this.gauge('database_pool_connections', 'Open connections to the database', () => read().total);
    this.gauge('database_pool_idle_connections', 'Open connections that nothing uses', () => read().idle);
    this.gauge('database_pool_waiting', 'Statements that wait for a connection', () => read().waiting);
  }

  /** Nothing is counted for it on the way of a create: the duration of each is kept anyway. */
  private countCreates(name: string, help: string, outcome: string): void {
    const { store, registry } = this;
    const counter: Counter = new Counter({
      name,
      help,
      registers: [registry],
      collect: () => {
        counter.reset();
        counter.inc(store.countOf('create', outcome));
      },
    });
  }

  private gauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({ name, help, registers: [this.registry], collect: () => gauge.set(read()) });
  }
}
