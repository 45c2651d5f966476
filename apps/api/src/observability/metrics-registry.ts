import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import type { DurationHistogram } from './duration-histogram.js';
import type { Metrics, PoolState } from './metrics.js';

/** All metrics of one application, and those of its process, which begin now. */
export function openRegistry({ requests, store, poolState }: Metrics, others: readonly Metric[]): Registry {
  const registry = new Registry();
  for (const metric of [requests, store] as unknown as Metric[]) registry.registerMetric(metric);
  countCreates(registry, store);
  if (poolState !== undefined) watchPool(registry, poolState);
  for (const metric of others) registry.registerMetric(metric);
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Nothing is counted for these on the way of a create: the duration of each is kept anyway. */
function countCreates(registry: Registry, store: DurationHistogram): void {
  const count = (name: string, help: string, outcome: string): void => {
    const counter: Counter = new Counter({
      name,
      help,
      registers: [registry],
      collect: () => {
        counter.reset();
        counter.inc(store.countOf('create', outcome));
      },
    });
  };
  count('bookings_created_total', 'Bookings that were kept', 'created');
  count('bookings_replayed_total', 'Creates that found the booking of their key', 'replayed');
  count('bookings_slots_refused_total', 'Creates whose slot was taken', 'slot_taken');
}

function watchPool(registry: Registry, read: () => PoolState): void {
  const watch = (name: string, help: string, value: () => number): void => {
    const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(value()) });
  };
  watch('database_pool_connections', 'Open connections to the database', () => read().total);
  watch('database_pool_idle_connections', 'Open connections that nothing uses', () => read().idle);
  watch('database_pool_waiting', 'Statements that wait for a connection', () => read().waiting);
}
