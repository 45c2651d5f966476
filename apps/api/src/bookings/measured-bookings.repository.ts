import { Inject, Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';
import type { Booking } from './booking.js';
import { StoreUnavailable } from './booking.errors.js';
import {
  BookingsRepository,
  type BookingsPage,
  type BookingsQuery,
  type CreateOutcome,
  type IdempotentCreate,
} from './bookings.repository.js';

/** The store itself: the repository that {@link MeasuredBookings} measures. */
export const STORE = Symbol('store');

/** Another repository, whose operations are timed and counted. */
@Injectable()
export class MeasuredBookings extends BookingsRepository {
  private readonly durations: Histogram<'operation' | 'outcome'>;
  /** Creates by their outcome. */
  private readonly creates: Readonly<Record<string, Counter>>;

  /** @param registry gets the metrics; it must not have those of another repository */
  constructor(
    @Inject(STORE) private readonly store: BookingsRepository,
    registry: Registry,
  ) {
    super();
    const registers = [registry];
    this.durations = new Histogram({
      name: 'bookings_store_duration_seconds',
      help: 'Duration of the operations of the store',
      labelNames: ['operation', 'outcome'],
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    });
    this.creates = {
      created: new Counter({ name: 'bookings_created_total', help: 'Bookings created', registers }),
      replayed: new Counter({
        name: 'bookings_replayed_total',
        help: 'Creates that were replayed for their key',
        registers,
      }),
      slot_taken: new Counter({
        name: 'bookings_slots_taken_total',
        help: 'Creates rejected because their slot was taken',
        registers,
      }),
    };
  }

  override get description(): string {
    return this.store.description;
  }

  override async create(booking: Booking, idempotent?: IdempotentCreate): Promise<CreateOutcome> {
    return this.measure(
      'create',
      () => this.store.create(booking, idempotent),
      ({ kind }) => kind,
    );
  }

  override async find(bookingId: string): Promise<Booking | undefined> {
    return this.measure('find', () => this.store.find(bookingId));
  }

  override async list(query: BookingsQuery): Promise<BookingsPage> {
    return this.measure('list', () => this.store.list(query));
  }

  override async checkReady(): Promise<void> {
    return this.measure('check', () => this.store.checkReady());
  }

  private async measure<Result>(
    operation: string,
    run: () => Promise<Result>,
    outcomeOf: (result: Result) => string = () => 'ok',
  ): Promise<Result> {
    const start = performance.now();
    try {
      const result = await run();
      this.observe(operation, outcomeOf(result), start);
      return result;
    } catch (error) {
      this.observe(operation, error instanceof StoreUnavailable ? 'unavailable' : 'failed', start);
      throw error;
    }
  }

  private observe(operation: string, outcome: string, start: number): void {
    this.durations.observe({ operation, outcome }, (performance.now() - start) / 1_000);
    if (operation === 'create') this.creates[outcome]?.inc();
  }
}
