import type { Booking, Slot } from './booking.js';
import type { KeysetPosition, ListFilter } from './cursor.js';

export interface IdempotentCreate {
  /** 1 to 299 ASCII characters, of one caller. */
  readonly key: string;
  /** Equal exactly for payloads that are the same JSON (RFC 8785). */
  readonly fingerprint: string;
}

/** Each kind is an `outcome` in the metrics (docs/observability.md). */
export type CreateOutcome =
  | { readonly kind: 'created'; readonly booking: Booking }
  /** The booking of the key, which was used with the same payload. */
  | { readonly kind: 'replayed'; readonly booking: Booking }
  /** The key was used with another payload. */
  | { readonly kind: 'key_reused' }
  /** The requested slot overlaps `held`. */
  | { readonly kind: 'slot_taken'; readonly held: Slot };

export interface PageQuery {
  /** Bookings, at most. */
  readonly limit: number;
  /** The position after which the page begins; without it, the list begins. */
  readonly after?: KeysetPosition | undefined;
}

/** Bytes of JSON on a page of several bookings, at most: one can have 221 kB. */
export const MAX_PAGE_BYTES = 1_048_576;

export interface BookingsPage {
  /** At most `limit`, of {@link MAX_PAGE_BYTES} together, but at least one if any follows. */
  readonly bookings: readonly Booking[];
  readonly hasMore: boolean;
}

/** @param next in order, all bookings that follow, or one more than fit on the page */
export function pageOf(next: readonly Booking[], limit: number): BookingsPage {
  const bookings = next.slice(0, Math.min(limit, countThatFit(next)));
  return { bookings, hasMore: next.length > bookings.length };
}

/** The first always fits. */
function countThatFit(bookings: readonly Booking[]): number {
  // UTF-8 has at most three bytes for a unit of `length`, which is known without a look at the text.
  if (bookings.reduce((length, { json }) => length + json.length, 0) * 3 <= MAX_PAGE_BYTES) return bookings.length;
  let bytes = 0;
  const end = bookings.findIndex(({ json }, index) => (bytes += Buffer.byteLength(json)) > MAX_PAGE_BYTES && index > 0);
  return end === -1 ? bookings.length : end;
}

/** The store of bookings. It alone keeps the service's promises: all implementations pass the same tests. */
export abstract class BookingsRepository {
  /** The store, as the log has it at the start. */
  abstract readonly description: string;

  /**
   * Keeps a booking, or nothing of it, in one step for all callers and replicas:
   * - bookings never hold overlapping slots of one resource;
   * - an idempotency key has at most one booking;
   * - the key is judged before the slot.
   *
   * @throws StoreUnavailable
   */
  abstract create(booking: Booking, idempotent?: IdempotentCreate): Promise<CreateOutcome>;

  /** @throws StoreUnavailable */
  abstract find(bookingId: string): Promise<Booking | undefined>;

  /**
   * A walk, whose pages are each requested `after` the last booking of the page before, shows every booking that was
   * acknowledged before its first page exactly once, whatever is written meanwhile.
   *
   * @throws StoreUnavailable
   */
  abstract list(filter: ListFilter, page: PageQuery): Promise<BookingsPage>;

  /** Resolves when the store can serve requests. @throws StoreUnavailable */
  abstract checkReady(): Promise<void>;
}

export abstract class BookingsListener {
  /** Called once for each booking that this process has kept, and not for a replay. It must not throw. */
  abstract created(booking: Booking): void;
}
