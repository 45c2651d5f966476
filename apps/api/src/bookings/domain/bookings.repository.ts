import type { Booking, Slot } from './booking.js';
import type { KeysetPosition, ListFilter } from './cursor.js';

export interface IdempotentCreate {
  /** 1 to 299 ASCII characters. No two callers share a key. */
  readonly key: string;
  /** Equal for two payloads if, and only if, they are the same JSON (RFC 8785). */
  readonly fingerprint: string;
}

/** Each `kind` is also an outcome in the metrics (docs/observability.md). */
export type CreateOutcome =
  | { readonly kind: 'created'; readonly booking: Booking }
  /** An earlier create with the same key and payload made the booking. */
  | { readonly kind: 'replayed'; readonly booking: Booking }
  /** An earlier create had the same key, but another payload. */
  | { readonly kind: 'key_reused' }
  /** The requested slot overlaps `held`. */
  | { readonly kind: 'slot_taken'; readonly held: Slot };

export interface PageQuery {
  readonly limit: number;
  /** Position of the last booking of the previous page; undefined for the first page. */
  readonly after?: KeysetPosition | undefined;
}

/** Maximum bytes of the JSON of a page's bookings; a single booking takes at most 223 kB. */
export const MAX_PAGE_BYTES = 1_048_576;

export interface BookingsPage {
  /** No more than `limit` bookings and {@link MAX_PAGE_BYTES}, but at least one booking if any is left. */
  readonly bookings: readonly Booking[];
  readonly hasMore: boolean;
}

/** @param next the bookings that follow: all of them, or more than fit on the page */
export function pageOf(next: readonly Booking[], limit: number): BookingsPage {
  const bookings = next.slice(0, Math.min(limit, countThatFit(next)));
  return { bookings, hasMore: next.length > bookings.length };
}

function countThatFit(bookings: readonly Booking[]): number {
  // UTF-8 takes at most three bytes per unit of `length`, so the bytes of a short page need not be counted.
  if (bookings.reduce((length, { json }) => length + json.length, 0) * 3 <= MAX_PAGE_BYTES) return bookings.length;
  let bytes = 0;
  for (const [index, { json }] of bookings.entries()) {
    bytes += Buffer.byteLength(json);
    if (bytes > MAX_PAGE_BYTES && index > 0) return index;
  }
  return bookings.length;
}

/** The store, which alone keeps the promises about slots, keys and walks. All implementations pass the same tests. */
export abstract class BookingsRepository {
  /** Names the store in the log. */
  abstract readonly description: string;

  /**
   * Stores a booking as a whole or not at all. Whatever callers and replicas do concurrently, slots of one resource
   * never overlap, and a key has at most one booking. The key is checked before the slot.
   *
   * @throws StoreUnavailable
   */
  abstract create(booking: Booking, idempotent?: IdempotentCreate): Promise<CreateOutcome>;

  /** @throws StoreUnavailable */
  abstract find(bookingId: string): Promise<Booking | undefined>;

  /**
   * Returns one page of a walk, which requests each page `after` the last booking of the previous one. Every booking
   * that matches the filter and was acknowledged before the walk appears in it exactly once, whatever is created
   * meanwhile, unless the booking is deleted.
   *
   * @throws StoreUnavailable
   */
  abstract list(filter: ListFilter, page: PageQuery): Promise<BookingsPage>;

  /** @throws StoreUnavailable while the store cannot serve requests */
  abstract checkReady(): Promise<void>;
}

export abstract class BookingsListener {
  /** Called once for each create with the outcome `created`, so never for a replay. Must not throw. */
  abstract created(booking: Booking): void;
}
