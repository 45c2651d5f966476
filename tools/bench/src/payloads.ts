/** How payloads are generated: each number has a different payload, and no two of one plan hold overlapping slots. */
export interface PayloadPlan {
  /** The order in which the cells are filled: ascending or descending in time, or (without it) seemingly random. */
  readonly order?: SlotOrder;
  /** The first `cells` payloads fill as many cells of an hour on a resource, each its first half. */
  readonly cells: number;
  /** Bytes of the details as JSON, braces and all. */
  readonly detailBytes: number;
}

export type SlotOrder = 'ascending' | 'descending' | 'random';
export const slotOrders: readonly SlotOrder[] = ['random', 'ascending', 'descending'];

export const RESOURCES = 10;
export const HOUR = 3_600_000;
const MINUTE = 60_000;
/** The first slot of all. */
export const BASE = Date.parse('2027-01-01T00:00:00Z');
/** Its multiples visit every cell once, in an order that looks random: it has no divisor of a power of ten. */
export const STRIDE = 7_368_787;
/** Slots of a minute that fit into the second half of every cell. */
const MINUTES = 30;

/** The payload with a number. Up to `cells` they fill the calendar; those after take the minutes in between. */
export function payloadOf(number: number, { order = 'random', cells, detailBytes }: PayloadPlan): string {
  if (number >= cells * (MINUTES + 1)) throw new Error(`The calendar of ${cells} cells is full.`);
  const cell = cellOf[order](number % cells, cells);
  const turn = Math.floor(number / cells);
  const hour = BASE + Math.floor(cell / RESOURCES) * HOUR;
  const start = turn === 0 ? hour : hour + (MINUTES + turn - 1) * MINUTE;
  const end = start + (turn === 0 ? MINUTES : 1) * MINUTE;
  return JSON.stringify({
    slot: { resource_id: resourceOf(cell), start: instant(start), end: instant(end) },
    ...detailsOf(detailBytes),
  });
}

const cellOf: Record<SlotOrder, (number: number, cells: number) => number> = {
  ascending: (number) => number,
  descending: (number, cells) => cells - 1 - number,
  random: (number, cells) => (number * STRIDE) % cells,
};

export function resourceOf(cell: number): string {
  return `room-${cell % RESOURCES}`;
}

export function instant(time: number): string {
  return new Date(time).toISOString();
}

export function detailsOf(bytes: number): { guest: string; note: string } {
  const empty = JSON.stringify({ guest: 'Ada Lovelace', note: '' }).length;
  return {
    guest: 'Ada Lovelace',
    note: 'a quiet place, by the window if there is one; '.repeat(8).slice(0, bytes - empty),
  };
}
