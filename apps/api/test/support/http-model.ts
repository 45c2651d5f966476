import type { BookingDto, SlotDto, SortOrder } from '@booking-service/contracts';

export interface ModelPayload {
  slot?: SlotDto;
  variant: string;
  /** Always the same, so that there is an order of details. */
  note: string;
}

export interface ListQuery {
  resource_id?: string;
  from?: string;
  to?: string;
  sort?: SortOrder;
  limit?: number;
}

interface KeptBooking {
  /** As the service returned it, and will return it for good. */
  readonly text: string;
  readonly booking: BookingDto;
  readonly payload: ModelPayload;
  readonly key: string | undefined;
}

type Judgement =
  | { kind: 'created' | 'key-reused' }
  | { kind: 'replayed'; text: string }
  | { kind: 'slot-taken'; held: SlotDto[] };

/**
 * What the interface promises, in the plainest way there is: one array, looked through from end to
 * end. Instants are compared as texts, since all are written in one form.
 */
export class HttpModel {
  readonly bookings: KeptBooking[] = [];

  find(bookingId: string): KeptBooking | undefined {
    return this.bookings.find(({ booking }) => booking.booking_id === bookingId);
  }

  /** The bookings that a retry can find. */
  keyed(): KeptBooking[] {
    return this.bookings.filter(({ key }) => key !== undefined);
  }

  /** What a create with this payload and this `Idempotency-Key` comes to. */
  judge(payload: ModelPayload, header: string | undefined): Judgement {
    const first = this.bookings.find(({ key }) => key !== undefined && key === bare(header));
    if (first !== undefined) {
      return isSamePayload(first.payload, payload) ? { kind: 'replayed', text: first.text } : { kind: 'key-reused' };
    }
    const held = this.bookings
      .flatMap(({ booking }) => booking.slot ?? [])
      .filter((slot) => overlap(slot, payload.slot));
    return held.length > 0 ? { kind: 'slot-taken', held } : { kind: 'created' };
  }

  keep(text: string, payload: ModelPayload, header: string | undefined): void {
    this.bookings.push({ text, booking: JSON.parse(text) as BookingDto, payload, key: bare(header) });
  }

  /** The whole walk, whatever `limit` is. */
  list({ resource_id, from, to, sort = '-created_at' }: ListQuery): KeptBooking[] {
    const direction = sort.startsWith('-') ? -1 : 1;
    return this.bookings
      .filter(({ booking }) => resource_id === undefined || booking.slot?.resource_id === resource_id)
      .filter(({ booking }) => from === undefined || (booking.slot !== undefined && booking.slot.end > from))
      .filter(({ booking }) => to === undefined || (booking.slot !== undefined && booking.slot.start < to))
      .toSorted(({ booking: a }, { booking: b }) => {
        if (sort.endsWith('created_at')) {
          return direction * (compare(a.created_at, b.created_at) || compare(a.booking_id, b.booking_id));
        }
        if (a.slot === undefined || b.slot === undefined) {
          const withoutLast = Number(a.slot === undefined) - Number(b.slot === undefined);
          return withoutLast || direction * compare(a.booking_id, b.booking_id);
        }
        return direction * (compare(a.slot.start, b.slot.start) || compare(a.booking_id, b.booking_id));
      });
  }
}

function bare(header: string | undefined): string | undefined {
  return header?.replaceAll('"', '');
}

function isSamePayload(a: ModelPayload, b: ModelPayload): boolean {
  return (
    a.variant === b.variant &&
    a.slot?.resource_id === b.slot?.resource_id &&
    a.slot?.start === b.slot?.start &&
    a.slot?.end === b.slot?.end
  );
}

function overlap(a: SlotDto, b: SlotDto | undefined): boolean {
  return b !== undefined && a.resource_id === b.resource_id && a.start < b.end && b.start < a.end;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
