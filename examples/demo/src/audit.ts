import { type BookingDto, SlotTakenError, type SlotDto } from '@booking-service/client';
import type { Replay } from './replay.js';

/**
 * Compares what the service lists with its responses while the week was replayed.
 *
 * @returns a line for every broken promise; none when all is well
 */
export function audit(listed: BookingDto[], replay: Replay): string[] {
  return [
    ...missingOrExtra(listed, replay),
    ...changed(listed, replay),
    ...overlaps(listed),
    ...unfounded(listed, replay),
  ];
}

/** Every accepted booking is listed exactly once, and nothing else is: a lost response left no second booking behind. */
function missingOrExtra(listed: BookingDto[], { accepted }: Replay): string[] {
  const times = new Map<string, number>(accepted.map(({ booking }) => [booking.booking_id, 0]));
  const faults: string[] = [];
  for (const { booking_id: id } of listed) {
    const count = times.get(id);
    if (count === undefined) faults.push(`${id} is listed and nobody was told of it`);
    else times.set(id, count + 1);
  }
  for (const [id, count] of times) if (count !== 1) faults.push(`${id} was accepted and is listed ${count} times`);
  return faults;
}

/** Every booking is listed as the response to its create had it, with the details as they were sent. */
function changed(listed: BookingDto[], { accepted, repeated }: Replay): string[] {
  const byId = new Map(listed.map((booking) => [booking.booking_id, JSON.stringify(booking)]));
  return [...accepted, ...repeated].flatMap(({ request, booking }) => {
    const { slot: _asked, ...sent } = request.payload;
    const { booking_id: id, created_at: _madeAt, slot: _held, ...details } = booking;
    if (JSON.stringify(details) !== JSON.stringify(sent)) return [`${id} has other details than were sent`];
    return byId.get(id) === JSON.stringify(booking)
      ? []
      : [`${id} is listed in another form than in the response to its create`];
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

/** Whoever was told "taken" was told the truth: the slot named is held, and it overlaps the one asked for. */
function unfounded(listed: BookingDto[], { rejected }: Replay): string[] {
  const held = new Set(slotsOf(listed).map((slot) => JSON.stringify(slot)));
  return rejected.flatMap(({ request, error }) => {
    const { slot } = request.payload;
    if (!(error instanceof SlotTakenError) || slot === undefined) return [];
    const named = error.conflictingSlot;
    const isTrue = named !== undefined && held.has(JSON.stringify(named)) && overlap(named, slot);
    return isTrue ? [] : [`${slot.resource_id} from ${slot.start} was rejected and is free`];
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
