import { type BookingDto, formatInstant, type CreateBookingDto, type SlotDto } from '@booking-service/contracts';

/** A half-open window of one resource: `[start, end)`, in milliseconds since 1970, with `start < end`. */
export interface Slot {
  readonly resourceId: string;
  readonly start: number;
  readonly end: number;
}

/** A booking never changes, and only an operator can delete it. */
export interface Booking {
  /** A UUIDv7 in lower case. It begins with `created_at`, so ids sort by time of creation. */
  readonly bookingId: string;
  readonly slot: Slot | undefined;
  /** The JSON that create, replay, get, list and events all send, character for character. */
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

  /** Rendered on demand: in the in-memory store, a create whose key or slot is taken needs no rendering. */
  get json(): string {
    this.rendered ??= this.render();
    return this.rendered;
  }

  private render(): string {
    const { bookingId, payload, slot } = this;
    // `slot` comes after the id and the time, wherever it is in the payload.
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

const BEFORE_ID = '{"booking_id":"';
const ID_LENGTH = 36;

/**
 * A booking from the store, parsed only on demand: parsing every booking would take a quarter of a list's CPU time
 * (2026-11-26).
 */
export class StoredBooking implements Booking {
  constructor(readonly json: string) {}

  get bookingId(): string {
    // The id comes first, unless the name of a member is a whole number (ECMA-262, OrdinaryOwnPropertyKeys).
    if (!this.json.startsWith(BEFORE_ID)) return this.parse().booking_id;
    return this.json.slice(BEFORE_ID.length, BEFORE_ID.length + ID_LENGTH);
  }

  get slot(): Slot | undefined {
    const { slot } = this.parse();
    return slot && toSlot(slot);
  }

  private parse(): BookingDto {
    return JSON.parse(this.json) as BookingDto;
  }
}

/** Milliseconds since 1970: the first 48 bits of a UUIDv7 (RFC 9562 §5.7). */
export function createdAtOf(bookingId: string): number {
  return Number.parseInt(bookingId.slice(0, 8) + bookingId.slice(9, 13), 16);
}

export function isBookingId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

/**
 * Whether both instants have the form of `toISOString`, as most clients send them: no other accepted form has this
 * length.
 */
function isInOurForm({ start, end }: SlotDto): boolean {
  return start.length === 24 && end.length === 24;
}

export function toSlotDto({ resourceId, start, end }: Slot): SlotDto {
  return { resource_id: resourceId, start: formatInstant(start), end: formatInstant(end) };
}

function toSlot({ resource_id, start, end }: SlotDto): Slot {
  return { resourceId: resource_id, start: Date.parse(start), end: Date.parse(end) };
}
