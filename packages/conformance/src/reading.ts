/** Parts of responses that checks read. A response that lacks such a part fails the check. */

import type { ReceivedResponse } from './exchange.js';
import { expectStatus, expectThat } from './expectations.js';
import { Failure } from './failure.js';
import type { Slot } from './fixtures.js';

export type Members = Readonly<Record<string, unknown>>;

export interface Booking {
  readonly booking_id: string;
  readonly created_at: string;
  readonly slot?: Slot;
  readonly [member: string]: unknown;
}

export interface Page {
  readonly bookings: readonly Booking[];
  readonly next_cursor: string | null;
}

/** The JSON object in a text; undefined if the text is anything else. */
export function objectIn(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
  } catch {
    return undefined;
  }
}

export function readObject(response: ReceivedResponse): Members {
  const object = objectIn(response.text);
  expectThat(response, object !== undefined, 'a JSON object');
  return object!;
}

export function readBooking(response: ReceivedResponse): Booking {
  expectStatus(response, 'success');
  const booking = readObject(response);
  expectThat(response, typeof booking['booking_id'] === 'string', 'a booking with a booking_id');
  return booking as Booking;
}

function isBooking(value: unknown): boolean {
  return typeof (value as Partial<Booking> | null)?.booking_id === 'string';
}

export function readPage(response: ReceivedResponse): Page {
  expectStatus(response, 'success');
  const page = readObject(response);
  const { bookings, next_cursor: cursor } = page;
  const isList = Array.isArray(bookings) && bookings.every(isBooking);
  const isPage = isList && (cursor === null || typeof cursor === 'string');
  expectThat(response, isPage, 'a page: the list `bookings`, each with an id, and `next_cursor`, a string or null');
  return page as unknown as Page;
}

/** @throws Failure on the last page */
export function readCursor(response: ReceivedResponse): string {
  const { next_cursor: cursor } = readPage(response);
  if (cursor === null) throw new Failure('a next_cursor', 'null', response.request);
  return cursor;
}

export function idsOf(bookings: readonly Booking[]): string[] {
  return bookings.map(({ booking_id }) => booking_id);
}
