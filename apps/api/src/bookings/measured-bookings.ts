import { Counter, Histogram, type Registry } from 'prom-client';
import { StoreUnavailable } from './domain/booking.errors.js';
import type { BookingsRepository } from './domain/bookings.repository.js';

/** Measures each operation of a store, and counts creates. */
export function measured(store: BookingsRepository, registry: Registry): BookingsRepository {
  const registers = [registry];
  const durations = new Histogram({
    name: 'bookings_store_duration_seconds',
    help: 'Duration of the operations of the store',
    labelNames: ['operation', 'outcome'],
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  // Other outcomes of a create are counted only by the histogram.
  const creates: Record<string, Counter> = {
    created: counter('bookings_created_total', 'Bookings created'),
    replayed: counter('bookings_replayed_total', 'Creates that were replayed for their key'),
    slot_taken: counter('bookings_slots_taken_total', 'Creates rejected because their slot was taken'),
  };

  async function timed<Result>(
    operation: string,
    run: () => Promise<Result>,
    outcomeOf: (result: Result) => string = () => 'ok',
  ): Promise<Result> {
    const start = performance.now();
    let outcome = 'failed';
    try {
      const result = await run();
      outcome = outcomeOf(result);
      return result;
    } catch (error) {
      if (error instanceof StoreUnavailable) outcome = 'unavailable';
      throw error;
    } finally {
      durations.observe({ operation, outcome }, (performance.now() - start) / 1_000);
      if (operation === 'create') creates[outcome]?.inc();
    }
  }

  return {
    get description() {
      return store.description;
    },
    create: (booking, idempotent) =>
      timed(
        'create',
        () => store.create(booking, idempotent),
        ({ kind }) => kind,
      ),
    find: (bookingId) => timed('find', () => store.find(bookingId)),
    list: (filter, page) => timed('list', () => store.list(filter, page)),
    checkReady: () => timed('check', () => store.checkReady()),
  };
}
