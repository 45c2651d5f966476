import type { Answer } from './exchange.js';
import { expectSuccess, expectThat } from './expectations.js';
import { Failure } from './failure.js';
import type { Slot } from './inventions.js';

export type Members = Readonly<Record<string, unknown>>;

/** What the checks read of a booking; it may have more. */
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

/** @throws Failure when the body is not a JSON object */
export function readObject(answer: Answer): Members {
  const value = readJson(answer);
  expectThat(answer, typeof value === 'object' && value !== null && !Array.isArray(value), 'a JSON object');
  return value as Members;
}

function readJson(answer: Answer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    throw new Failure('JSON', `status ${answer.status}, ${JSON.stringify(answer.text.slice(0, 300))}`, answer.request);
  }
}

/** The booking of a create or a get that was not refused. @throws Failure when it is none */
export function readBooking(answer: Answer): Booking {
  expectSuccess(answer);
  const booking = readObject(answer);
  expectThat(answer, typeof booking['booking_id'] === 'string', 'a booking with a booking_id');
  return booking as Booking;
}

/** The page of a list that was not refused. @throws Failure when it is none */
export function readPage(answer: Answer): Page {
  expectSuccess(answer);
  const page = readObject(answer);
  const { bookings, next_cursor: cursor } = page;
  const isPage = Array.isArray(bookings) && (cursor === null || typeof cursor === 'string');
  expectThat(answer, isPage, 'a page: the list `bookings`, and `next_cursor`, a string or null');
  return page as unknown as Page;
}

/** The cursor of the next page. @throws Failure when there is none */
export function readCursor(answer: Answer): string {
  const { next_cursor: cursor } = readPage(answer);
  if (cursor === null) throw new Failure('a next_cursor', 'null', answer.request);
  return cursor;
}

export function idsOf(bookings: readonly Booking[]): string[] {
  return bookings.map(({ booking_id }) => booking_id);
}
