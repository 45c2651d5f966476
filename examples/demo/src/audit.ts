import { type BookingDto, SlotTakenError, type SlotDto } from '@booking-service/client';
import type { Replay } from './replay.js';

/**
 * Compares the bookings that the service lists with its responses during the replay.
 *
 * @returns a line for every broken promise
 */
export function audit(listed: BookingDto[], replay: Replay): string[] {
  return [
    ...missingOrExtra(listed, replay),
    ...changed(listed, replay),
    ...overlaps(listed),
    ...unjustified(listed, replay),
  ];
}

/** Every accepted booking is listed exactly once, and nothing else is: lost responses left no second bookings. */
function missingOrExtra(listed: BookingDto[], { accepted }: Replay): string[] {
  const times = new Map<string, number>(accepted.map(({ booking }) => [booking.booking_id, 0]));
  const faults: string[] = [];
  for (const { booking_id: id } of listed) {
    const count = times.get(id);
    if (count === undefined) faults.push(`${id} is listed, but no response had it`);
    else times.set(id, count + 1);
  }
  for (const [id, count] of times) if (count !== 1) faults.push(`${id} was accepted and is listed ${count} times`);
  return faults;
}

/** Every booking is listed exactly as in the response to its create, with the details that were sent. */
function changed(listed: BookingDto[], { accepted, repeated }: Replay): string[] {
  const byId = new Map(listed.map((booking) => [booking.booking_id, JSON.stringify(booking)]));
  return [...accepted, ...repeated].flatMap(({ request, booking }) => {
    const { slot: _requested, ...sent } = request.payload;
    const { booking_id: id, created_at: _createdAt, slot: _held, ...details } = booking;
    if (JSON.stringify(details) !== JSON.stringify(sent)) return [`${id} has details other than those sent`];
    return byId.get(id) === JSON.stringify(booking)
      ? []
      : [`${id} is listed differently from the response to its create`];
  });
}

/** No two bookings hold overlapping slots of one resource. */
function overlaps(listed: BookingDto[]): string[] {
  const slots = slotsOf(listed).toSorted((one, other) => (one.start < other.start ? -1 : 1));
  const latest = new Map<string, SlotDto>();
  return slots.flatMap((slot) => {
    const before = latest.get(slot.resource_id);
    latest.set(slot.resource_id, slot);
    return before !== undefined && before.end > slot.start
      ? [`${slot.resource_id} is booked twice from ${slot.start}`]
      : [];
  });
}

/** Every rejection is justified: the conflicting slot is held, and it overlaps the requested one. */
function unjustified(listed: BookingDto[], { rejected }: Replay): string[] {
  const held = new Set(slotsOf(listed).map((slot) => JSON.stringify(slot)));
  return rejected.flatMap(({ request, error }) => {
    const { slot } = request.payload;
    if (!(error instanceof SlotTakenError) || slot === undefined) return [];
    const named = error.conflictingSlot;
    const isTrue = named !== undefined && held.has(JSON.stringify(named)) && overlap(named, slot);
    return isTrue ? [] : [`${slot.resource_id} from ${slot.start} was rejected but is free`];
  });
}

function overlap(one: SlotDto, other: SlotDto): boolean {
  return (
    one.resource_id === other.resource_id &&
    Date.parse(one.start) < Date.parse(other.end) &&
    Date.parse(other.start) < Date.parse(one.end)
  );
}

function slotsOf(bookings: BookingDto[]): SlotDto[] {
  return bookings.flatMap(({ slot }) => (slot === undefined ? [] : [slot]));
}
