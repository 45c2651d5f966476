import type { BookingDto, SlotDto } from '@booking-service/client';

const NAME_WIDTH = 24;
const QUARTER = 15 * 60_000;
const QUARTERS_OF_A_DAY = 96;

/**
 * A day as a table of 120 columns: a row for each resource, a column for each quarter of an hour.
 * Adjacent bookings differ in shade, to show where one ends.
 *
 * @param day as `YYYY-MM-DD`, from midnight to midnight UTC
 */
export function timetable(day: string, bookings: BookingDto[]): string {
  const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0').padEnd(4)).join('');
  const slots = bookings.flatMap(({ slot }) => slot ?? []).toSorted((one, other) => (one.start < other.start ? -1 : 1));
  const resources = [...new Set(slots.map((slot) => slot.resource_id))].toSorted();
  const rows = resources.map((resource) => {
    const own = slots.filter((slot) => slot.resource_id === resource);
    return resource.padEnd(NAME_WIDTH) + row(Date.parse(day), own);
  });
  return [`${'UTC'.padEnd(NAME_WIDTH)}${hours}`, ...rows].map((line) => line.trimEnd()).join('\n');
}

function row(midnight: number, slots: SlotDto[]): string {
  const cells = Array.from({ length: QUARTERS_OF_A_DAY }, (_, quarter) => {
    // A quarter belongs to the slot that contains its middle.
    const middle = midnight + (quarter + 0.5) * QUARTER;
    const index = slots.findIndex(({ start, end }) => Date.parse(start) <= middle && middle < Date.parse(end));
    if (index === -1) return quarter % 4 === 0 ? '·' : ' ';
    return index % 2 === 0 ? '█' : '▒';
  });
  return cells.join('');
}
