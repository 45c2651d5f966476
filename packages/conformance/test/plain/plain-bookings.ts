import { createHash, randomBytes } from 'node:crypto';
import {
  type CreateBookingDto,
  formatInstant,
  type ListBookingsQuery,
  type ListBookingsQueryDto,
  parseInstant,
  type SlotDto,
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

/** Bookings in an array, looked through from end to end. A faulty service overrides what it does wrong. */
export class PlainBookings {
  protected readonly all: Kept[] = [];
  protected readonly byKey = new Map<string, Kept>();

  /** @throws Rejected `idempotency-key-reused`, `slot-taken` */
  async create(payload: CreateBookingDto, key?: string): Promise<Made> {
    const kept = this.make(payload);
    const first = key === undefined ? undefined : this.byKey.get(key);
    if (first !== undefined) {
      if (first.payload !== kept.payload) throw new Rejected('idempotency-key-reused');
      return { kept: first, replayed: true };
    }
    const held = this.conflict(kept);
    if (held !== undefined) throw new Rejected('slot-taken', { conflicting_slot: this.shown(held) });
    await this.beforeKeeping(kept, key);
    this.all.push(kept);
    if (key !== undefined) this.byKey.set(key, kept);
    return { kept, replayed: false };
  }

  get count(): number {
    return this.all.length;
  }

  find(id: string): Kept | undefined {
    return this.all.find((kept) => kept.id === id);
  }

  /** @throws Rejected `invalid-request` for a cursor that was not given for this list */
  list(query: ListBookingsQuery): PlainPage {
    const [from, to] = [inUtc(query.from), inUtc(query.to)];
    const isAsked = (kept: Kept): boolean => this.matches(kept, { resource_id: query.resource_id, from, to });
    const listed = this.all.filter(isAsked).toSorted(this.order(query.sort));
    const start = query.cursor === undefined ? 0 : this.placeAfter(query.cursor, query, listed);
    const bookings = listed.slice(start, start + this.countOf(listed.slice(start, start + query.limit)));
    const end = start + bookings.length;
    return { bookings, nextCursor: listed.length > end ? this.cursor(bookings.at(-1)!, query, end) : null };
  }

  /** How many of these a page has: at most 1 MiB, one booking at least. */
  protected countOf(bookings: readonly Kept[]): number {
    let bytes = 0;
    const end = bookings.findIndex((kept) => (bytes += this.sizeOf(kept)) > MAX_PAGE_BYTES);
    return end === -1 ? bookings.length : Math.max(1, end);
  }

  protected sizeOf({ json }: Kept): number {
    return Buffer.byteLength(json);
  }

  /** What is done between the checks of a create and its keeping. It takes no time here, so nothing comes between. */
  protected beforeKeeping(_kept: Kept, _key: string | undefined): Promise<void> | void {}

  protected make({ slot: given, ...details }: CreateBookingDto): Kept {
    // Rising, so that the order of ids is that of creation.
    const id = `b${String(this.all.length).padStart(8, '0')}${randomBytes(3).toString('hex')}`;
    const createdAt = formatInstant(Date.now());
    const slot = given && {
      resource_id: given.resource_id,
      start: formatInstant(this.instant(given.start)),
      end: formatInstant(this.instant(given.end)),
    };
    const json = JSON.stringify({ booking_id: id, created_at: createdAt, ...(slot && { slot }), ...details });
    return { id, createdAt, slot, json, payload: this.fingerprint({ ...details, ...(given && { slot: given }) }) };
  }

  protected instant(text: string): number {
    return parseInstant(text)!;
  }

  protected fingerprint(payload: object): string {
    return canonicalize(payload)!;
  }

  protected conflict({ slot }: Kept): Kept | undefined {
    if (slot === undefined) return undefined;
    return this.all.find(
      (kept) =>
        kept.slot !== undefined &&
        this.resource(kept.slot) === this.resource(slot) &&
        this.overlaps([kept.slot.start, kept.slot.end], [slot.start, slot.end]),
    );
  }

  protected resource({ resource_id }: SlotDto): string {
    return resource_id;
  }

  /** Windows as texts of one form, whose order is that of time. */
  protected overlaps([start, end]: [string, string], [otherStart, otherEnd]: [string, string]): boolean {
    return start < otherEnd && otherStart < end;
  }

  /** What `conflicting_slot` shows of a booking that is held. */
  protected shown({ slot }: Kept): object {
    return slot!;
  }

  /** `from` and `to` are in the one form of the service. */
  protected matches({ slot }: Kept, { resource_id, from, to }: ListBookingsQueryDto): boolean {
    if (resource_id === undefined && from === undefined && to === undefined) return true;
    if (slot === undefined || (resource_id !== undefined && slot.resource_id !== resource_id)) return false;
    return this.isWithin(slot, from, to);
  }

  protected isWithin({ start, end }: SlotDto, from: string | undefined, to: string | undefined): boolean {
    return (to === undefined || start < to) && (from === undefined || from < end);
  }

  protected order(sort: string): (a: Kept, b: Kept) => number {
    const direction = sort.startsWith('-') ? -1 : 1;
    if (sort.endsWith('created_at')) {
      return (a, b) => direction * (compare(a.createdAt, b.createdAt) || compare(a.id, b.id));
    }
    return (a, b) => {
      const slotless = Number(a.slot === undefined) - Number(b.slot === undefined);
      return slotless || direction * (compare(a.slot?.start, b.slot?.start) || compare(a.id, b.id));
    };
  }

  protected cursor(last: Kept, query: ListBookingsQuery, _place: number): string {
    return `${last.id}-${this.seal(last.id, query)}`;
  }

  /** The place in the list where the next page begins. */
  protected placeAfter(cursor: string, query: ListBookingsQuery, listed: readonly Kept[]): number {
    const [id = ''] = cursor.split('-');
    const place = listed.findIndex((kept) => kept.id === id);
    if (place === -1 || cursor !== `${id}-${this.seal(id, query)}`) throw Rejected.at('#/cursor');
    return place + 1;
  }

  /** Binds a cursor to its list. */
  protected seal(text: string, { sort, resource_id, from, to }: ListBookingsQuery): string {
    return createHash('sha256')
      .update(JSON.stringify([text, sort, resource_id, from, to]))
      .digest('hex');
  }
}

function inUtc(instant: string | undefined): string | undefined {
  return instant && formatInstant(parseInstant(instant)!);
}

function compare(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  return (a ?? '') < (b ?? '') ? -1 : 1;
}
