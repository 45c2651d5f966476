import { getHeapStatistics } from 'node:v8';
import type { Booking } from '../booking.js';
import { IdempotencyKeyReused, SlotTaken, StoreUnavailable } from '../booking.errors.js';
import {
  BookingsRepository,
  type BookingsPage,
  type BookingsQuery,
  type CreateOutcome,
  type IdempotentCreate,
  MAX_PAGE_BYTES,
} from '../bookings.repository.js';
import { BookingIndex } from './booking-index.js';

/** Seconds after which a full store may be asked again. It frees nothing by itself: only a restart does. */
const FULL_RETRY_AFTER = 60;

/** Share of the heap that the renderings may fill; indexes, keys and requests need the rest. */
const RENDERED_HEAP_SHARE = 0.5;

/**
 * Keeps bookings in this process, for one process, until it ends. Every step of a create is
 * synchronous, and JavaScript runs one step at a time: that is what makes it atomic here.
 */
export class InMemoryBookingsRepository extends BookingsRepository {
  private readonly byId = new Map<string, Booking>();
  private readonly byKey = new Map<string, { booking: Booking; fingerprint: string }>();
  private readonly all = new BookingIndex();
  private readonly byResource = new Map<string, BookingIndex>();
  private renderedBytes = 0;
  private readonly maxRenderedBytes = getHeapStatistics().heap_size_limit * RENDERED_HEAP_SHARE;

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
    const kept = this.keep(booking);
    if (idempotent !== undefined)
      this.byKey.set(idempotent.key, { booking: kept, fingerprint: idempotent.fingerprint });
    return { booking: kept, replayed: false };
  }

  override async find(bookingId: string): Promise<Booking | undefined> {
    return this.byId.get(bookingId);
  }

  override async list(query: BookingsQuery): Promise<BookingsPage> {
    const index = query.resourceId === undefined ? this.all : this.byResource.get(query.resourceId);
    const found = index?.list(query.limit + 1, query) ?? [];
    const bookings = found.slice(0, Math.min(query.limit, countWithin(MAX_PAGE_BYTES, found)));
    return { bookings, hasMore: found.length > bookings.length };
  }

  override async checkReady(): Promise<void> {}

  private keep({ bookingId, slot, json }: Booking): Booking {
    // A character takes at most two bytes.
    const bytes = json.length * 2;
    if (this.byId.size >= this.maxBookings || this.renderedBytes + bytes > this.maxRenderedBytes) {
      throw new StoreUnavailable(
        'The service is full: it keeps bookings in memory, up to a ceiling.',
        FULL_RETRY_AFTER,
      );
    }
    this.renderedBytes += bytes;
    const booking = { bookingId, slot, json };
    this.byId.set(bookingId, booking);
    this.all.add(booking);
    if (slot !== undefined) this.collectionOf(slot.resourceId).add(booking);
    return booking;
  }

  private collectionOf(resourceId: string): BookingIndex {
    let collection = this.byResource.get(resourceId);
    if (collection === undefined) {
      collection = new BookingIndex();
      this.byResource.set(resourceId, collection);
    }
    return collection;
  }
}

/** How many bookings a page has room for: those whose JSON, as UTF-8, fits into `maxBytes`, and the first one always. */
function countWithin(maxBytes: number, bookings: readonly Booking[]): number {
  let bytes = 0;
  const end = bookings.findIndex(({ json }, index) => (bytes += Buffer.byteLength(json)) > maxBytes && index > 0);
  return end === -1 ? bookings.length : end;
}
