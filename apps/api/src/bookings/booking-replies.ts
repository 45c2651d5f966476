import { operations } from '@booking-service/contracts';
import type { Request } from 'express';
import fresh from 'fresh';
import { JSON_TYPE, Reply } from '../http/reply.js';
import { queryOf } from '../http/target.js';
import { type Booking, etagOf } from './booking.js';
import type { CreateOutcome } from './bookings.repository.js';
import type { ListedBookings } from './bookings.service.js';

const { listBookings, createBooking, getBooking } = operations;

export function createdReply({ booking, replayed }: CreateOutcome): Reply {
  const headers = ['Location', `${createBooking.path}/${booking.bookingId}`, 'ETag', etagOf(booking)];
  if (replayed) headers.push('Idempotent-Replayed', 'true');
  return new Reply(createBooking.success.status, JSON_TYPE, booking.json, headers);
}

/** @param ifNoneMatch the ETags that the caller has (RFC 9110 §13.1.2) */
export function bookingReply(booking: Booking, ifNoneMatch: string | undefined): Reply {
  const etag = etagOf(booking);
  // Not Express's `request.fresh`: that lets `Cache-Control: no-cache` win, which `fetch` adds to
  // every conditional request. RFC 9110 §13.1.2 has no such exception.
  if (ifNoneMatch !== undefined && fresh({ 'if-none-match': ifNoneMatch }, { etag })) {
    return new Reply(304, undefined, '', ['ETag', etag]);
  }
  return new Reply(getBooking.success.status, JSON_TYPE, booking.json, ['ETag', etag]);
}

export function pageReply(request: Request, { bookings, nextCursor }: ListedBookings): Reply {
  const headers = nextCursor === null ? [] : ['Link', `<${nextPage(queryOf(request), nextCursor)}>; rel="next"`];
  const items = bookings.map((booking) => booking.json).join(',');
  const page = `{"bookings":[${items}],"next_cursor":${JSON.stringify(nextCursor)}}`;
  return new Reply(listBookings.success.status, JSON_TYPE, page, headers);
}

function nextPage(givenQuery: string, cursor: string): string {
  const query = new URLSearchParams(givenQuery);
  query.set('cursor', cursor);
  return `${listBookings.path}?${query.toString()}`;
}
