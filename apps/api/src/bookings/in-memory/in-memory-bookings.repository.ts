import type { Booking } from '../booking.js';
import { IdempotencyKeyReused, SlotTaken, StoreUnavailable } from '../booking.errors.js';
import {
  BookingsRepository,
  type BookingsPage,
  type BookingsQuery,
  type CreateOutcome,
  type IdempotentCreate,
  pageOf,
} from '../bookings.repository.js';
import { BookingIndex } from './booking-index.js';
import { costOf, MemoryBudget } from './memory-budget.js';

/** Seconds after which a full store may be asked again. It frees nothing by itself: only a restart does. */
const FULL_RETRY_AFTER = 60;

/**
 * Keeps bookings in this process, for one process, until it ends. Every step of a create is
 * synchronous, and JavaScript runs one step at a time: that is what makes it atomic here.
 */
export class InMemoryBookingsRepository extends BookingsRepository {
  private readonly byId = new Map<string, Booking>();
  private readonly byKey = new Map<string, { booking: Booking; fingerprint: string }>();
  private readonly all = new BookingIndex();
  private readonly byResource = new Map<string, BookingIndex>();
  private readonly budget = new MemoryBudget();

  /** @param maxBookings bookings beyond which a create is refused as unavailable */
  constructor(private readonly maxBookings: number) {
    super();
  }

  override get description(): string {
    return `memory, up to ${this.maxBookings} bookings, gone when the service stops`;
  }

  override async create(booking: Booking, idempotent?: IdempotentCreate): Promise<CreateOutcome> {
    const first = idempotent && this.byKey.get(idempotent.key);
    if (first !== undefined) {
      if (first.fingerprint !== idempotent?.fingerprint) throw new IdempotencyKeyReused();
      return { booking: first.booking, replayed: true };
    }
    const holder = booking.slot && this.byResource.get(booking.slot.resourceId)?.holderOf(booking.slot);
    if (holder?.slot !== undefined) throw new SlotTaken(holder.slot);
    return { booking: this.keep(booking, idempotent), replayed: false };
  }

  override async find(bookingId: string): Promise<Booking | undefined> {
    return this.byId.get(bookingId);
  }

  override async list(query: BookingsQuery): Promise<BookingsPage> {
    const index = query.resourceId === undefined ? this.all : this.byResource.get(query.resourceId);
    return pageOf(index?.list(query.limit + 1, query) ?? [], query.limit);
  }

  override async checkReady(): Promise<void> {}

  /** @throws StoreUnavailable, before anything is kept, when the store is full */
  private keep(offered: Booking, idempotent: IdempotentCreate | undefined): Booking {
    const { bookingId, slot, json } = offered;
    const isNewResource = slot !== undefined && !this.byResource.has(slot.resourceId);
    const entries = [this.byId.size + 1, this.byKey.size + 1, this.byResource.size + 1];
    const hasRoom =
      this.byId.size < this.maxBookings && this.budget.spend(costOf(offered, idempotent, isNewResource), entries);
    if (!hasRoom) {
      throw new StoreUnavailable(
        'The service is full: it keeps bookings in memory, up to a ceiling.',
        FULL_RETRY_AFTER,
      );
    }
    // What was offered may hold the payload as well.
    const booking = { bookingId, slot, json };
    this.byId.set(bookingId, booking);
    if (idempotent !== undefined) this.byKey.set(idempotent.key, { booking, fingerprint: idempotent.fingerprint });
    this.all.add(booking);
    if (slot !== undefined) {
      if (isNewResource) this.byResource.set(slot.resourceId, new BookingIndex());
      this.byResource.get(slot.resourceId)!.add(booking);
    }
    return booking;
  }
}
