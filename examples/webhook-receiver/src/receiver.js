import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseBookingEvent } from '@booking-service/client/events';

/** @typedef {import('@booking-service/client/events').BookingCreatedEventDto} BookingCreated */
/** @typedef {(event: BookingCreated) => void} OnBooking */
/** @typedef {{ secrets: string[], file: string, onBooking: OnBooking, onGap?: (last: string) => void, onFault?: (error: unknown) => void }} Options */

/**
 * A receiver of one endpoint's events. It acknowledges an event when it is on disk, and hands every booking on in the
 * order of creation, once in each run.
 *
 * @param {Options} options `onGap` is called while an event after `last` is missing that others follow
 */
export function createReceiver({ secrets, file, onBooking, onGap, onFault }) {
  /** Events that wait for those before them, by the sequence that they follow. @type {Map<string, BookingCreated>} */
  const waiting = new Map();
  let last = '0'.repeat(19);

  /** @param {string} previous @param {BookingCreated} event */
  function take(previous, event, isOnDisk = false) {
    if (event.sequence <= last || waiting.has(previous)) return; // It came before.
    if (!isOnDisk) appendFileSync(file, `${JSON.stringify([previous, event])}\n`, { flush: true });
    waiting.set(previous, event);
    for (let next; (next = waiting.get(last)) !== undefined; onBooking(next)) {
      waiting.delete(last);
      last = next.sequence;
    }
    if (waiting.size > 0) onGap?.(last);
  }

  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [''];
  const torn = lines.pop(); // Behind the last line end is what a crash broke off: it was never acknowledged.
  if (torn) truncateSync(file, Buffer.byteLength(lines.map((line) => `${line}\n`).join('')));
  for (const line of lines) take(.../** @type {[string, BookingCreated]} */ (JSON.parse(line)), true);

  return createServer((request, response) => {
    text(request)
      .then((body) => parseBookingEvent(body, request.headers, secrets))
      .then((event) => {
        if (event.type === 'bookings.booking.created')
          take(String(request.headers['bookings-previous-sequence']), event);
        return response.writeHead(204).end();
      })
      .catch((/** @type {unknown} */ error) => {
        onFault?.(error);
        // Not 4xx, which would park the event: so it is sent again until it is taken.
        response.writeHead(503).end();
      });
  });
}
