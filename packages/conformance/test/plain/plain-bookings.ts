import { createHash, randomBytes } from 'node:crypto';
import {
  type CreateBookingDto,
  formatInstant,
  type ListBookingsQuery,
  parseInstant,
  type SlotDto,
  sortOrders,
} from '@booking-service/contracts';
import canonicalize from 'canonicalize';
import { Rejected } from './rejected.js';

export interface Kept {
  readonly id: string;
  readonly createdAt: string;
  readonly slot: SlotDto | undefined;
  /** The booking as it is always returned. */
  readonly json: string;
  /** The payload that made it, in canonical JSON. */
  readonly payload: string;
}

export interface Made {
  readonly kept: Kept;
  readonly replayed: boolean;
}

export interface PlainPage {
  readonly bookings: readonly Kept[];
  readonly nextCursor: string | null;
}

const MAX_PAGE_BYTES = 1_048_576;

/** Bookings in an array, looked through from end to end. */
export class PlainBookings {
  readonly #all: Kept[] = [];
  readonly #byKey = new Map<string, Kept>();

  /** @throws Rejected `idempotency-key-reused`, `slot-taken` */
  create(payload: CreateBookingDto, key?: string): Made {
    const kept = this.#make(payload);
    const first = key === undefined ? undefined : this.#byKey.get(key);
    if (first !== undefined) {
      if (first.payload !== kept.payload) throw new Rejected('idempotency-key-reused');
      return { kept: first, replayed: true };
    }
    const held = kept.slot && this.#all.find(({ slot }) => slot !== undefined && overlap(slot, kept.slot!));
    if (held !== undefined) throw new Rejected('slot-taken', { conflicting_slot: held.slot });
    this.#all.push(kept);
    if (key !== undefined) this.#byKey.set(key, kept);
    return { kept, replayed: false };
  }

  get count(): number {
    return this.#all.length;
  }

  find(id: string): Kept | undefined {
    return this.#all.find((kept) => kept.id === id);
  }

  /** @throws Rejected `invalid-request` for a cursor that was not given for this list */
  list(query: ListBookingsQuery): PlainPage {
    const listed = this.#all.filter(matching(query)).toSorted(orderOf(query));
    const start = query.cursor === undefined ? 0 : placeAfter(query.cursor, query, listed);
    const bookings = fitting(listed.slice(start, start + query.limit));
    const isLast = start + bookings.length === listed.length;
    return { bookings, nextCursor: isLast ? null : cursorAfter(bookings.at(-1)!.id, query) };
  }

  #make({ slot: given, ...details }: CreateBookingDto): Kept {
    // Rising, so that the order of ids is that of creation.
    const id = `b${String(this.#all.length).padStart(8, '0')}${randomBytes(3).toString('hex')}`;
    const createdAt = formatInstant(Date.now());
    const slot = given && { ...given, start: inUtc(given.start)!, end: inUtc(given.end)! };
    const json = JSON.stringify({ booking_id: id, created_at: createdAt, ...(slot && { slot }), ...details });
    return { id, createdAt, slot, json, payload: canonicalize({ ...details, slot: given })! };
  }
}

/** Instants are texts of one form, whose order is that of time. */
function overlap(a: SlotDto, b: SlotDto): boolean {
  return a.resource_id === b.resource_id && a.start < b.end && b.start < a.end;
}

function matching({ resource_id, from, to }: ListBookingsQuery): (kept: Kept) => boolean {
  if (resource_id === undefined && from === undefined && to === undefined) return () => true;
  const [start = '', end = '~'] = [inUtc(from), inUtc(to)];
  return ({ slot }) =>
    slot !== undefined &&
    (resource_id ?? slot.resource_id) === slot.resource_id &&
    slot.start < end &&
    start < slot.end;
}

/** By start in a window, otherwise by creation. */
function orderOf({ sort, from, to }: ListBookingsQuery): (a: Kept, b: Kept) => number {
  if (from !== undefined || to !== undefined) {
    return (a, b) => compare(a.slot!.start, b.slot!.start) || compare(a.id, b.id);
  }
  const direction = sort === 'created_at' ? 1 : -1;
  return (a, b) => direction * (compare(a.createdAt, b.createdAt) || compare(a.id, b.id));
}

/** Those that a page has: at most 1 MiB, one booking at least. */
function fitting(bookings: readonly Kept[]): readonly Kept[] {
  let bytes = 0;
  const end = bookings.findIndex(({ json }) => (bytes += Buffer.byteLength(json)) > MAX_PAGE_BYTES);
  return end === -1 ? bookings : bookings.slice(0, Math.max(1, end));
}

/** Bound to its list. */
function cursorAfter(id: string, { sort = sortOrders[0], resource_id, from, to }: ListBookingsQuery): string {
  const bound = JSON.stringify([id, sort, resource_id, from, to]);
  return `${id}-${createHash('sha256').update(bound).digest('hex')}`;
}

/** The place in the list where the next page begins. */
function placeAfter(cursor: string, query: ListBookingsQuery, listed: readonly Kept[]): number {
  const [id = ''] = cursor.split('-');
  const place = listed.findIndex((kept) => kept.id === id);
  if (place === -1 || cursor !== cursorAfter(id, query)) throw Rejected.at('#/cursor');
  return place + 1;
}

function inUtc(instant: string | undefined): string | undefined {
  return instant && formatInstant(parseInstant(instant)!);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
