import type { IncomingMessage, ServerResponse } from 'node:http';
import { runInNewContext } from 'node:vm';
import { createBookingSchema, listBookingsQuerySchema } from '@booking-service/contracts';
import type { Request } from 'express';
import { isBookingId } from '../../src/bookings/domain/booking.js';
import { fromCursor } from '../../src/bookings/domain/cursor.js';
import { isOfOtherOrigin, readJson } from '../../src/edge/json-body.js';
import { parseQuery } from '../../src/edge/query.js';
import { conditionalReply } from '../../src/edge/reply.js';
import { idempotencyKeyOf, requestIdOf } from '../../src/edge/request.js';
import { bearerToken } from '../../src/features/auth/bearer.guard.js';
import { networkOf } from '../../src/features/rate-limit/rate-limit.guard.js';
import { framingFault, originForm } from '../../src/server/framing.js';

/** `textOf` makes a text of any length that fails at its last character. */
type Row = [name: string, read: (text: string) => unknown, textOf: (length: number) => string];

const withHeaders = (headers: IncomingMessage['headers']) =>
  ({ url: '/', httpVersion: '1.1', headers, rawHeaders: [] }) as unknown as Request;
const ending = (end: string, begin = '', unit = 'a') => {
  return (length: number) => begin + unit.repeat(length / unit.length) + end;
};
const create = (member: unknown) => createBookingSchema.safeParse(member);
const slotOn = (resource: string) => create({ slot: { resource_id: resource, start: 'x', end: 'y' } });

const rows: Row[] = [
  ['a target in origin form', (text) => originForm(text, 'GET'), ending('#', '/')],
  ['the path of a target in absolute form', (text) => originForm(text, 'GET'), ending('#', 'http://a/')],
  ['Host', (host) => framingFault(withHeaders({ host })), ending('/')],
  ['Origin', (origin) => isOfOtherOrigin(withHeaders({ origin, host: 'a' })), ending(' ', 'https://')],
  ['X-Request-Id', requestId, ending(' ')],
  ['Idempotency-Key', (key) => idempotencyKeyOf(withHeaders({ 'idempotency-key': key })), ending('\\', '"')],
  ['a token', token, ending(' ', 'Bearer a', '=')],
  ['spaces before a token', token, ending('!', 'Bearer', ' ')],
  ['Content-Type', contentType, ending('x', 'application/json', '; ')],
  ['If-None-Match', (tags) => conditionalReply({}, '"x"', tags), ending('"', '', '"a", ')],
  ['an address', networkOf, ending('x', '[', ']')],
  ['a port of an address', networkOf, ending('x', '[::1]:', '1')],
  ['a zone of an address', networkOf, ending(']x', '[', '%')],
  ['a booking_id', isBookingId, ending('x', '01a1fbf1-f170-7874-aaaf-', '5')],
  ['the start in a cursor', (cursor) => fromCursor(cursor, {}), ending('x', '-', '1')],
  ['a cursor', (cursor) => fromCursor(cursor, {}), ending('!', '1.', 'a-')],
  ['a cursor in a query', (cursor) => listBookingsQuerySchema.safeParse({ cursor }), ending('!')],
  ['a limit', (limit) => listBookingsQuerySchema.safeParse({ limit }), ending('x', '', '1')],
  ['an instant', (from) => listBookingsQuerySchema.safeParse({ from }), ending('x', '2026-12-01T09:00:', '0')],
  ['a query', parseQuery, ending('\u{7f}', 'cursor=')],
  ['escapes in a query', parseQuery, ending('%', 'cursor=', '%41')],
  ['a resource', slotOn, ending('\u{7}')],
  ['a resource outside of the BMP', slotOn, ending('\u{d83d}', '', '😀')],
  ['a text', (text) => create({ text }), ending('\u{d83d}', '', '😀')],
  ['a name', (name) => create({ [name]: 1 }), ending('\u{d83d}')],
  ['a near miss of a name', (name) => create({ [name]: 1 }), ending('s', 'slot', '-_')],
];

function requestId(id: string): string {
  return requestIdOf({ req: withHeaders({ 'x-request-id': id }) } as unknown as ServerResponse);
}

function token(credentials: string): string {
  return bearerToken({ headersDistinct: { authorization: [credentials] } } as unknown as IncomingMessage);
}

function contentType(type: string): void {
  void readJson(withHeaders({ 'content-type': type, 'content-length': '1' })).catch(() => {});
}

/** Characters for which quadratic time is many minutes, and linear time milliseconds. */
const LENGTH = 2_000_000;

describe('A text of a client that fails at its last character', () => {
  it.each(rows)('is read in linear time: %s', (_, read, textOf) => {
    const readText = () => {
      try {
        read(textOf(LENGTH));
      } catch {
        // Whether it is rejected does not matter here.
      }
    };
    // Jest's timeout cannot interrupt a regular expression.
    expect(() => runInNewContext('readText()', { readText }, { timeout: 60_000 })).not.toThrow();
  });
});
