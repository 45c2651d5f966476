import { operations } from '@booking-service/contracts';
import type { Request, Response } from 'express';
import fresh from 'fresh';
import { answer, JSON_TYPE } from '../http/answer.js';
import { queryOf } from '../http/strict-query.js';
import { type Booking, etagOf } from './booking.js';
import type { CreateOutcome } from './bookings.repository.js';
import type { ListedBookings } from './bookings.service.js';

const { listBookings, createBooking, getBooking } = operations;
type BookingsPath = (typeof operations)[keyof typeof operations]['path'];

export function answerCreated(response: Response, { booking, replayed }: CreateOutcome): void {
  const headers = ['Location', `${createBooking.path}/${booking.bookingId}`, 'ETag', etagOf(booking)];
  if (replayed) headers.push('Idempotent-Replayed', 'true');
  answer(response, createBooking.success.status, JSON_TYPE, booking.json, headers);
}

export function answerBooking(response: Response, booking: Booking, ifNoneMatch: string | undefined): void {
  const etag = etagOf(booking);
  // Not Express's `request.fresh`: that lets `Cache-Control: no-cache` win, which `fetch` adds to
  // every conditional request. RFC 9110 §13.1.2 has no such exception.
  const isKnown = ifNoneMatch !== undefined && fresh({ 'if-none-match': ifNoneMatch }, { etag });
  if (isKnown) response.writeHead(304, ['ETag', etag]).end();
  else answer(response, getBooking.success.status, JSON_TYPE, booking.json, ['ETag', etag]);
}

export function answerList(request: Request, response: Response, { bookings, nextCursor }: ListedBookings): void {
  const headers = nextCursor === null ? [] : ['Link', `<${nextPage(request.url, nextCursor)}>; rel="next"`];
  const items = bookings.map((booking) => booking.json).join(',');
  // Joined, not a template: V8 copies what it puts together so only once.
  const page = ['{"bookings":[', items, '],"next_cursor":', JSON.stringify(nextCursor), '}'].join('');
  answer(response, listBookings.success.status, JSON_TYPE, page, headers);
}

/** The methods of the operations at a path, with HEAD beside GET (RFC 9110 §9.3.2). */
export function allowedAt(path: BookingsPath): string {
  const methods = Object.values(operations)
    .filter((operation) => operation.path === path)
    .map(({ method }) => method);
  return [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ');
}

function nextPage(url: string, cursor: string): string {
  const given = queryOf(url);
  // A cursor needs no escapes; to read and write a query takes longer than to find the page.
  if (given === '') return `${listBookings.path}?cursor=${cursor}`;
  const query = new URLSearchParams(given);
  query.set('cursor', cursor);
  return `${listBookings.path}?${query.toString()}`;
}
