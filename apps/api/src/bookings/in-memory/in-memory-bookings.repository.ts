import { getHeapStatistics } from 'node:v8';
import { StoreFull } from '../domain/booking.errors.js';
import type { Booking } from '../domain/booking.js';
import {
  BookingsRepository,
  type BookingsPage,
  type CreateOutcome,
  type IdempotentCreate,
  pageOf,
  type PageQuery,
} from '../domain/bookings.repository.js';
import type { ListFilter } from '../domain/cursor.js';
import { BookingIndex } from './booking-index.js';

const MIB = 2 ** 20;
const HEAP = getHeapStatistics().heap_size_limit;
/**
 * Maximum heap bytes of all bookings. The young generation, the service and its requests take 96 MiB, and garbage up to
 * 30% of the rest: 145 MiB remain with `--max-old-space-size=256`, and 2,800 MiB with a heap of 4 GiB, Node's default
 * given 16 GiB of memory. Even a heap below 100 MiB keeps a 32nd for bookings.
 */
const MAX_BYTES = Math.max(0.7 * (HEAP - 96 * MIB), HEAP / 32);
/** Maximum heap bytes of a booking, without its JSON and its key. */
const BOOKING_BYTES = 800;
/** Maximum heap bytes of a resource, without its bookings. */
const RESOURCE_BYTES = 2_000;

/** Each create is atomic, since it runs synchronously. */
export class InMemoryBookingsRepository extends BookingsRepository {
  private readonly byId = new Map<string, Booking>();
  private readonly byKey = new Map<string, { booking: Booking; fingerprint: string }>();
  private readonly all = new BookingIndex();
  private readonly byResource = new Map<string, BookingIndex>();
  private bytes = 0;

  constructor(private readonly maxBookings: number) {
    super();
  }

  override get description(): string {
    return `memory, up to ${this.maxBookings} bookings, gone when the service stops`;
  }

  override async create(booking: Booking, idempotent?: IdempotentCreate): Promise<CreateOutcome> {
    const first = idempotent && this.byKey.get(idempotent.key);
    if (first !== undefined) {
      if (first.fingerprint !== idempotent?.fingerprint) return { kind: 'key_reused' };
      return { kind: 'replayed', booking: first.booking };
    }
    const holder = booking.slot && this.byResource.get(booking.slot.resourceId)?.holderOf(booking.slot);
    if (holder !== undefined) return { kind: 'slot_taken', held: holder.slot };
    return { kind: 'created', booking: this.keep(booking, idempotent) };
  }

  override async find(bookingId: string): Promise<Booking | undefined> {
    return this.byId.get(bookingId);
  }

  override async list(filter: ListFilter, { limit, after }: PageQuery): Promise<BookingsPage> {
    const index = filter.resourceId === undefined ? this.all : this.byResource.get(filter.resourceId);
    return pageOf(index?.list(filter, { limit: limit + 1, after }) ?? [], limit);
  }

  override async checkReady(): Promise<void> {}

  private keep({ bookingId, slot, json }: Booking, idempotent: IdempotentCreate | undefined): Booking {
    const isNewResource = slot !== undefined && !this.byResource.has(slot.resourceId);
    const texts = heapBytes(json) + 2 * (idempotent?.key.length ?? 0);
    const bytes = this.bytes + BOOKING_BYTES + (isNewResource ? RESOURCE_BYTES : 0) + texts;
    if (this.byId.size === this.maxBookings || bytes > MAX_BYTES) {
      throw new StoreFull('The store is full: it keeps a limited number of bookings in memory.');
    }
    this.bytes = bytes;
    // Keeps a copy, since the caller's object also holds the payload.
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

/**
 * An upper bound: V8 stores Latin-1 in one byte per character and other texts in two, but only ASCII is cheap to
 * recognize.
 */
function heapBytes(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}
