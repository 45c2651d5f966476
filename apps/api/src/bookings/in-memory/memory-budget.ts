import { getHeapStatistics } from 'node:v8';
import type { Booking } from '../booking.js';
import type { IdempotentCreate } from '../bookings.repository.js';

const MIB = 2 ** 20;

/** The young generation, at its default size: part of the limit that Node reports, but bookings do not stay there. */
const YOUNG_GENERATION = 48 * MIB;
/** Of the old generation: near its end V8 collects garbage all the time, and from 80 % on may end the process. */
const USABLE_SHARE = 0.7;
/** The service itself, and requests in flight: bodies, pages of 1 MiB, responses that wait to be written. */
const RESERVE = 34 * MIB;
/** The least that bookings get, as a share of the limit, in a heap too small for all that. */
const LEAST_SHARE = 1 / 32;

// Bytes of heap, measured with Node 20 over 140,000 bookings of a kind, and rounded up.

/** An entry in the list by id, the id itself, the places in the order of creation. */
const BOOKING_COST = 300;
/** The slot, its resource's name apart, and the places in the orders by start, of all and of the resource. */
const SLOT_COST = 260;
/** A resource with its first bookings. */
const RESOURCE_COST = 1_900;
/** An idempotency key with its fingerprint, the key itself apart. */
const KEY_COST = 220;
/** A place in the table of a `Map`, which doubles when it is full; the old table is there until then. */
const TABLE_ENTRY_COST = 28 * 1.5;

/**
 * How much of the heap bookings may take. It adds up what each costs at most, rather than measure the heap: what V8
 * reports as used includes garbage, and a store with room would reject creates.
 *
 * With heaps of 64 and 256 MiB it leaves 11 and 145 MiB to bookings, with the default of 4 GiB 2,833 MiB. Full of any
 * kind of booking, the service then has at most 44 and 193 MiB of the first two in use, garbage included (`test/memory-ceiling.spec.ts`).
 */
export class MemoryBudget {
  /** Bytes of heap that bookings may take. */
  readonly limit = budgetOf(getHeapStatistics().heap_size_limit);
  private spent = 0;

  /**
   * Counts what a create would keep, unless it does not fit.
   *
   * @param entries of each `Map`, the new ones included
   * @returns whether it fits
   */
  spend(cost: number, entries: readonly number[]): boolean {
    const tables = entries.reduce((bytes, count) => bytes + TABLE_ENTRY_COST * tableSize(count), 0);
    if (this.spent + cost + tables > this.limit) return false;
    this.spent += cost;
    return true;
  }
}

/** Bytes of heap that a booking takes at most, but for its places in tables. */
export function costOf(
  { slot, json }: Booking,
  idempotent: IdempotentCreate | undefined,
  isNewResource: boolean,
): number {
  let cost = BOOKING_COST + stringBytes(json);
  if (slot !== undefined) cost += SLOT_COST + 2 * slot.resourceId.length;
  if (isNewResource) cost += RESOURCE_COST;
  // Twice: a key that was sent in quotes is a slice of a longer string, which V8 keeps.
  if (idempotent !== undefined) cost += KEY_COST + 2 * idempotent.key.length;
  return cost;
}

/** @param heapLimit bytes, `heap_size_limit` of Node */
export function budgetOf(heapLimit: number): number {
  return Math.max((heapLimit - YOUNG_GENERATION) * USABLE_SHARE - RESERVE, heapLimit * LEAST_SHARE);
}

/** V8 keeps a character in one byte where all are below U+0100; only ASCII can be recognized cheaply. */
function stringBytes(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}

/** Places in the table of a `Map`: a power of two. */
function tableSize(entries: number): number {
  return entries < 4 ? 4 : 1 << (32 - Math.clz32(entries - 1));
}
