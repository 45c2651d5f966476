import type { Booking } from '../bookings/booking.js';
import {
  BookingsRepository,
  type BookingsPage,
  type BookingsQuery,
  type CreateOutcome,
  type IdempotentCreate,
} from '../bookings/bookings.repository.js';

/** Another repository, of which every booking that it makes is announced in this process. */
export class AnnouncedBookings extends BookingsRepository {
  /** @param created called for each booking once it is kept, in the order in which that was known */
  constructor(
    private readonly store: BookingsRepository,
    private readonly created: (booking: Booking) => void,
  ) {
    super();
  }

  override get description(): string {
    return this.store.description;
  }

  override async create(booking: Booking, idempotent?: IdempotentCreate): Promise<CreateOutcome> {
    const outcome = await this.store.create(booking, idempotent);
    if (!outcome.replayed) this.created(outcome.booking);
    return outcome;
  }

  override find(bookingId: string): Promise<Booking | undefined> {
    return this.store.find(bookingId);
  }

  override list(query: BookingsQuery): Promise<BookingsPage> {
    return this.store.list(query);
  }

  override checkReady(): Promise<void> {
    return this.store.checkReady();
  }
}
