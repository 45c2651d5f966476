import { type BookingDto, formatInstant, type CreateBookingDto, type SlotDto } from '@booking-service/contracts';

/** Half-open: `[start, end)`, in milliseconds since 1970, `start < end`. */
export interface Slot {
  readonly resourceId: string;
  readonly start: number;
  readonly end: number;
}

/** Bookings never change. Only an operator can delete one. */
export interface Booking {
  /** A UUIDv7, lower case. Begins with `created_at`: the order of ids is the order of creation. */
  readonly bookingId: string;
  readonly slot: Slot | undefined;
  /** The characters that create, replay, get, list and events send. */
  readonly json: string;
}

export class NewBooking implements Booking {
  readonly slot: Slot | undefined;
  private rendered: string | undefined;

  constructor(
    readonly bookingId: string,
    private readonly payload: CreateBookingDto,
  ) {
    this.slot = payload.slot && toSlot(payload.slot);
  }

  /** Rendered on demand: in memory, a create whose key or slot is taken needs no rendering. */
  get json(): string {
    this.rendered ??= this.render();
    return this.rendered;
  }

  private render(): string {
    const { bookingId, payload, slot } = this;
    // `slot` comes third, wherever the payload has it.
    const booking = {
      booking_id: bookingId,
      created_at: formatInstant(createdAtOf(bookingId)),
      slot: undefined as SlotDto | undefined,
      ...payload,
    };
    if (slot !== undefined) booking.slot = isInOurForm(payload.slot!) ? payload.slot : toSlotDto(slot);
    return JSON.stringify(booking);
  }
}

/** Parses its JSON on demand: most bookings are never parsed. */
export class StoredBooking implements Booking {
  private parsed: BookingDto | undefined;

  constructor(
    readonly json: string,
    private readonly knownId?: string,
  ) {}

  get bookingId(): string {
    return this.knownId ?? this.dto.booking_id;
  }

  get slot(): Slot | undefined {
    const { slot } = this.dto;
    return slot && toSlot(slot);
  }

  private get dto(): BookingDto {
    this.parsed ??= JSON.parse(this.json) as BookingDto;
    return this.parsed;
  }
}

/** Milliseconds since 1970: the first 48 bits of a UUIDv7 (RFC 9562 §5.7). */
export function createdAtOf(bookingId: string): number {
  return Number.parseInt(bookingId.slice(0, 8) + bookingId.slice(9, 13), 16);
}

export function isBookingId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

/** Whether both instants are as long as ours: no other form is, and most clients send what `toISOString` returns. */
function isInOurForm({ start, end }: SlotDto): boolean {
  return start.length === 24 && end.length === 24;
}

export function toSlotDto({ resourceId, start, end }: Slot): SlotDto {
  return { resource_id: resourceId, start: formatInstant(start), end: formatInstant(end) };
}

function toSlot({ resource_id, start, end }: SlotDto): Slot {
  return { resourceId: resource_id, start: Date.parse(start), end: Date.parse(end) };
}
