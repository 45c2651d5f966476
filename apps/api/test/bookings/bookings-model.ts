import type { Booking } from '../../src/bookings/domain/booking.js';
import type {
  BookingsPage,
  CreateOutcome,
  IdempotentCreate,
  PageQuery,
} from '../../src/bookings/domain/bookings.repository.js';
import { type KeysetPosition, type ListFilter, positionOf } from '../../src/bookings/domain/cursor.js';

/** A repository may name any of the `holders`. */
export type ModelOutcome = Exclude<CreateOutcome, { kind: 'slot_taken' }> | { kind: 'slot_taken'; holders: Booking[] };

/** A repository as plain as possible: an array that is searched from end to end. */
export class BookingsModel {
  readonly bookings: Booking[] = [];
  private readonly keys = new Map<string, { booking: Booking; fingerprint: string }>();

  create(booking: Booking, idempotent?: IdempotentCreate): ModelOutcome {
    const first = idempotent && this.keys.get(idempotent.key);
    if (first !== undefined) {
      if (first.fingerprint !== idempotent!.fingerprint) return { kind: 'key_reused' };
      return { kind: 'replayed', booking: first.booking };
    }
    const holders = this.bookings.filter(({ slot }) => slot !== undefined && isTakenBy(booking, slot));
    if (holders.length > 0) return { kind: 'slot_taken', holders };
    this.bookings.push(booking);
    if (idempotent !== undefined) this.keys.set(idempotent.key, { booking, fingerprint: idempotent.fingerprint });
    return { kind: 'created', booking };
  }

  list(filter: ListFilter, { limit, after }: PageQuery): BookingsPage {
    const { resourceId, window, sort } = filter;
    const isDescending = window === undefined && sort !== 'created_at';
    const compare = (a: KeysetPosition, b: KeysetPosition): number => comparePositions(a, b) * (isDescending ? -1 : 1);
    const ordered = this.bookings
      .filter(({ slot }) => resourceId === undefined || slot?.resourceId === resourceId)
      .filter(({ slot }) => window === undefined || (slot && slot.start < window.to && slot.end > window.from))
      .toSorted((a, b) => compare(positionOf(a, filter), positionOf(b, filter)));
    const rest = ordered.filter((one) => after === undefined || compare(positionOf(one, filter), after) > 0);
    return { bookings: rest.slice(0, limit), hasMore: rest.length > limit };
  }
}

function isTakenBy({ slot }: Booking, held: NonNullable<Booking['slot']>): boolean {
  return slot !== undefined && slot.resourceId === held.resourceId && slot.start < held.end && held.start < slot.end;
}

function comparePositions(a: KeysetPosition, b: KeysetPosition): number {
  const byStart = (a.start ?? 0) - (b.start ?? 0);
  return byStart || (a.bookingId < b.bookingId ? -1 : Number(a.bookingId > b.bookingId));
}
