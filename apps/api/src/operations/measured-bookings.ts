import type { Booking } from '../bookings/booking.js';
import { IdempotencyKeyReused, SlotTaken, StoreUnavailable } from '../bookings/booking-errors.js';
import {
  BookingsRepository,
  type BookingsPage,
  type BookingsQuery,
  type CreateOutcome,
  type IdempotentCreate,
} from '../bookings/bookings.repository.js';
import type { DurationHistogram } from './duration-histogram.js';

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
    return this.measure('create', () => this.store.create(booking, idempotent), createOutcome);
  }

  override find(bookingId: string): Promise<Booking | undefined> {
    return this.measure('find', () => this.store.find(bookingId));
  }

  override list(query: BookingsQuery): Promise<BookingsPage> {
    return this.measure('list', () => this.store.list(query));
  }

  override checkReady(): Promise<void> {
    return this.measure('check', () => this.store.checkReady());
  }

  private async measure<Result>(
    operation: string,
    ask: () => Promise<Result>,
    outcomeOf: (result: Result) => string = () => 'ok',
  ): Promise<Result> {
    const start = performance.now();
    try {
      const result = await ask();
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

function createOutcome({ replayed }: CreateOutcome): string {
  return replayed ? 'replayed' : 'created';
}

function outcomeOfError(error: unknown): string {
  if (error instanceof SlotTaken) return 'slot_taken';
  if (error instanceof IdempotencyKeyReused) return 'key_reused';
  return error instanceof StoreUnavailable ? 'unavailable' : 'failed';
}
