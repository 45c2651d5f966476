import type { Booking } from '../../src/bookings/booking.js';
import type {
  BookingsPage,
  CreateOutcome,
  IdempotentCreate,
  PageQuery,
} from '../../src/bookings/bookings.repository.js';
import { type ListFilter, positionOf } from '../../src/bookings/cursor.js';

/** A store may name any one of the `holders` of a slot. */
export type ModelOutcome = Exclude<CreateOutcome, { kind: 'slot_taken' }> | { kind: 'slot_taken'; holders: Booking[] };

/** What a repository promises, in the plainest way there is: one array, looked through from end to end. */
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

  list({ sort, resourceId, from, to }: ListFilter, { limit, after }: PageQuery): BookingsPage {
    const matching = this.bookings
      .filter(({ slot }) => resourceId === undefined || slot?.resourceId === resourceId)
      .filter(({ slot }) => (from === undefined && to === undefined) || slot !== undefined)
      .filter(({ slot }) => from === undefined || slot!.end > from)
      .filter(({ slot }) => to === undefined || slot!.start < to);
    const ordered = matching.toSorted((a, b) => comparePositions(positionOf(a, sort), positionOf(b, sort), sort));
    const rest = ordered.filter(
      (booking) => after === undefined || comparePositions(positionOf(booking, sort), after, sort) > 0,
    );
    return { bookings: rest.slice(0, limit), hasMore: rest.length > limit };
  }
}

function isTakenBy({ slot }: Booking, held: NonNullable<Booking['slot']>): boolean {
  return slot !== undefined && slot.resourceId === held.resourceId && slot.start < held.end && held.start < slot.end;
}

type Position = ReturnType<typeof positionOf>;

function comparePositions(a: Position, b: Position, sort: string): number {
  const direction = sort.startsWith('-') ? -1 : 1;
  if ((a.at === null) !== (b.at === null)) return a.at === null ? 1 : -1;
  const byInstant = (a.at ?? 0) - (b.at ?? 0);
  return direction * (byInstant || (a.bookingId < b.bookingId ? -1 : Number(a.bookingId > b.bookingId)));
}
