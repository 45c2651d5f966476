import type { Booking } from './booking.js';
import { IdempotencyKeyReused, SlotTaken, StoreUnavailable } from './booking.errors.js';
import {
  BookingsRepository,
  type BookingsPage,
  type BookingsQuery,
  type CreateOutcome,
  type IdempotentCreate,
} from './bookings.repository.js';
import type { DurationHistogram } from '../observability/duration-histogram.js';

/** Another repository, whose time is taken. */
export class MeasuredBookings extends BookingsRepository {
  constructor(
    private readonly store: BookingsRepository,
    private readonly durations: DurationHistogram,
  ) {
    super();
  }

  override get description(): string {
    return this.store.description;
  }

  override create(booking: Booking, idempotent?: IdempotentCreate): Promise<CreateOutcome> {
    const start = performance.now();
    return this.measure('create', start, this.store.create(booking, idempotent), createOutcome);
  }

  override find(bookingId: string): Promise<Booking | undefined> {
    const start = performance.now();
    return this.measure('find', start, this.store.find(bookingId));
  }

  override list(query: BookingsQuery): Promise<BookingsPage> {
    const start = performance.now();
    return this.measure('list', start, this.store.list(query));
  }

  override checkReady(): Promise<void> {
    const start = performance.now();
    return this.measure('check', start, this.store.checkReady());
  }

  private async measure<Result>(
    operation: string,
    start: number,
    answer: Promise<Result>,
    outcomeOf: (result: Result) => string = anyOutcome,
  ): Promise<Result> {
    try {
      const result = await answer;
      this.observe(operation, outcomeOf(result), start);
      return result;
    } catch (error) {
      this.observe(operation, outcomeOfError(error), start);
      throw error;
    }
  }

  private observe(operation: string, outcome: string, start: number): void {
    this.durations.observe(operation, outcome, (performance.now() - start) / 1_000);
  }
}

function anyOutcome(): string {
  return 'ok';
}

function createOutcome({ replayed }: CreateOutcome): string {
  return replayed ? 'replayed' : 'created';
}

function outcomeOfError(error: unknown): string {
  if (error instanceof SlotTaken) return 'slot_taken';
  if (error instanceof IdempotencyKeyReused) return 'key_reused';
  return error instanceof StoreUnavailable ? 'unavailable' : 'failed';
}
