import type { Booking, Slot } from './booking.js';
import type { KeysetPosition, ListFilter } from './cursor.js';

/** Identifies a create across retries. */
export interface IdempotentCreate {
  /** 1 to 299 ASCII characters: that of the request, after a digest of its caller if there is one. */
  readonly key: string;
  /** Equal for two payloads exactly when they are the same JSON (RFC 8785). */
  readonly fingerprint: string;
}

/** What became of a create. Each kind is the `outcome` of a metric, see docs/observability.md. */
export type CreateOutcome =
  /** The booking is kept now. */
  | { readonly kind: 'created'; readonly booking: Booking }
  /** The key was used before with the same payload: its booking. */
  | { readonly kind: 'replayed'; readonly booking: Booking }
  /** The key was used before with another payload. */
  | { readonly kind: 'key_reused' }
  /** The requested slot overlaps `held`. */
  | { readonly kind: 'slot_taken'; readonly held: Slot };

/** A part of a list. */
export interface PageQuery {
  /** The most bookings of the page. */
  readonly limit: number;
  /** Where the page begins: after this position in the order of the list, or at its beginning. */
  readonly after?: KeysetPosition | undefined;
}

/** Bytes of JSON, as UTF-8, that a page of more than one booking has at most: a booking can have 221 kB. */
export const MAX_PAGE_BYTES = 1_048_576;

export interface BookingsPage {
  /** One booking at least, if any follows; at most `limit`, of {@link MAX_PAGE_BYTES} together. */
  readonly bookings: readonly Booking[];
  /** Whether any booking follows the last one of this page. */
  readonly hasMore: boolean;
}

/**
 * Makes a page of what comes next in a list.
 *
 * @param next in order: all that follows, or one booking more than `limit`, or up to the first that does not fit
 */
export function pageOf(next: readonly Booking[], limit: number): BookingsPage {
  const bookings = next.slice(0, Math.min(limit, countThatFit(next)));
  return { bookings, hasMore: next.length > bookings.length };
}

/** How many bookings fit on a page: those whose JSON, as UTF-8, is {@link MAX_PAGE_BYTES} at most, and the first one always. */
function countThatFit(bookings: readonly Booking[]): number {
  // UTF-8 takes at most three bytes for what counts as one here. To count each booking exactly takes longer.
  if (bookings.reduce((length, { json }) => length + json.length, 0) * 3 <= MAX_PAGE_BYTES) return bookings.length;
  let bytes = 0;
  const end = bookings.findIndex(({ json }, index) => (bytes += Buffer.byteLength(json)) > MAX_PAGE_BYTES && index > 0);
  return end === -1 ? bookings.length : end;
}

/**
 * Where bookings are kept. The repository alone keeps the service's promises; every implementation passes the suite
 * in `test/bookings/bookings-repository.suite.ts`.
 */
export abstract class BookingsRepository {
  /** The kind of store, for the line that the service logs when it starts. */
  abstract readonly description: string;

  /**
   * Keeps a booking, or finds that it is kept already. All of it or nothing, at once for every
   * caller and every replica:
   * - two kept bookings never hold overlapping slots of one resource;
   * - one idempotency key has at most one booking, kept in the same step as the booking;
   * - the key is judged before the slot, and a rejected create leaves nothing.
   *
   * @throws StoreUnavailable
   */
  abstract create(booking: Booking, idempotent?: IdempotentCreate): Promise<CreateOutcome>;

  /** @throws StoreUnavailable */
  abstract find(bookingId: string): Promise<Booking | undefined>;

  /**
   * One page. A walk of pages, each requested `after` the last booking of the one before, shows
   * every booking that was acknowledged before its first page exactly once, whatever is written
   * meanwhile.
   *
   * @throws StoreUnavailable
   */
  abstract list(filter: ListFilter, page: PageQuery): Promise<BookingsPage>;

  /** Resolves when the store can serve requests. @throws StoreUnavailable */
  abstract checkReady(): Promise<void>;
}

/** Is notified of the bookings that this process creates. */
export abstract class BookingsListener {
  /** Called once for each booking after it is kept, and not for a replay. It must not throw. */
  abstract created(booking: Booking): void;
}
