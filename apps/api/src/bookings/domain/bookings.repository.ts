import type { Booking, Slot } from './booking.js';
import type { KeysetPosition, ListFilter } from './cursor.js';

export interface IdempotentCreate {
  /** 1 to 299 ASCII characters. No two callers share one. */
  readonly key: string;
  /** Equal exactly for payloads that are the same JSON (RFC 8785). */
  readonly fingerprint: string;
}

/** The kinds are outcomes in the metrics, too (docs/observability.md). */
export type CreateOutcome =
  | { readonly kind: 'created'; readonly booking: Booking }
  /** An earlier create with the key and this payload made the booking. */
  | { readonly kind: 'replayed'; readonly booking: Booking }
  /** An earlier create had the key and another payload. */
  | { readonly kind: 'key_reused' }
  /** The requested slot overlaps `held`. */
  | { readonly kind: 'slot_taken'; readonly held: Slot };

export interface PageQuery {
  readonly limit: number;
  /** Default: before the first booking. */
  readonly after?: KeysetPosition | undefined;
}

/** Maximum bytes of JSON on a page of several bookings; one booking has up to 221 kB. */
export const MAX_PAGE_BYTES = 1_048_576;

export interface BookingsPage {
  /** At most `limit` and {@link MAX_PAGE_BYTES}, but at least one if any follows. */
  readonly bookings: readonly Booking[];
  readonly hasMore: boolean;
}

/** @param next the following bookings: more than fit on the page, or all */
export function pageOf(next: readonly Booking[], limit: number): BookingsPage {
  const bookings = next.slice(0, Math.min(limit, countThatFit(next)));
  return { bookings, hasMore: next.length > bookings.length };
}

function countThatFit(bookings: readonly Booking[]): number {
  // UTF-8 takes at most three bytes per unit of `length`: short pages need no count.
  if (bookings.reduce((length, { json }) => length + json.length, 0) * 3 <= MAX_PAGE_BYTES) return bookings.length;
  let bytes = 0;
  const end = bookings.findIndex(({ json }, index) => (bytes += Buffer.byteLength(json)) > MAX_PAGE_BYTES && index > 0);
  return end === -1 ? bookings.length : end;
}

/** The store, which alone keeps the promises on slots, keys and walks. All implementations pass the same tests. */
export abstract class BookingsRepository {
  /** For the log. */
  abstract readonly description: string;

  /**
   * Stores a booking atomically or not at all, for all callers and replicas: slots of one resource never overlap, a key has
   * at most one booking, and the key is judged before the slot.
   *
   * @throws StoreUnavailable
   */
  abstract create(booking: Booking, idempotent?: IdempotentCreate): Promise<CreateOutcome>;

  /** @throws StoreUnavailable */
  abstract find(bookingId: string): Promise<Booking | undefined>;

  /**
   * In a walk, each page is requested `after` the last booking of the page before. A walk shows every booking that was
   * acknowledged before its first page exactly once, whatever is written meanwhile.
   *
   * @throws StoreUnavailable
   */
  abstract list(filter: ListFilter, page: PageQuery): Promise<BookingsPage>;

  /** @throws StoreUnavailable while the store cannot serve requests */
  abstract checkReady(): Promise<void>;
}

export abstract class BookingsListener {
  /** Called once for each booking that this process makes, never for a replay. Must not throw. */
  abstract created(booking: Booking): void;
}
