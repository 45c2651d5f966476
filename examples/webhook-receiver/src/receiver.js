import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseBookingEvent } from '@booking-service/client/events';

/** Maximum bytes of a body, more than any event has. */
const MAX_BYTES = 1_048_576;

/** @typedef {import('@booking-service/client/events').BookingCreatedEventDto} BookingCreated */
/** @typedef {import('@booking-service/client/events').BookingDeletedEventDto} BookingDeleted */
/** @typedef {BookingCreated | BookingDeleted} BookingEvent */
/** @typedef {{ secrets: string[], file: string, onEvent: (event: BookingEvent) => void, onError?: (error: unknown) => void }} Options */

/**
 * Acknowledges an event once it is on disk, and passes it on once in each run, unless it is a creation that arrives
 * after its deletion.
 * @param {Options} options
 */
export function createReceiver({ secrets, file, onEvent, onError }) {
  /** Ids of events on disk. @type {Set<string>} */
  const ids = new Set();
  /** Ids of deleted bookings: a deletion is final, and may arrive before the creation. @type {Set<string>} */
  const deleted = new Set();

  /** @param {BookingEvent} event */
  function take(event, isOnDisk = false) {
    if (ids.has(event.id)) return;
    if (!isOnDisk) appendFileSync(file, `${JSON.stringify(event)}\n`, { flush: true });
    ids.add(event.id);
    const isDeletion = event.type === 'bookings.booking.deleted';
    if (isDeletion) deleted.add(event.subject);
    if (isDeletion || !deleted.has(event.subject)) onEvent(event);
  }

  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [''];
  // A crash has cut off the text after the last line feed; that event was never acknowledged.
  const torn = lines.pop();
  if (torn) truncateSync(file, Buffer.byteLength(lines.map((line) => `${line}\n`).join('')));
  for (const line of lines) take(/** @type {BookingEvent} */ (JSON.parse(line)), true);

  return createServer((request, response) => {
    textOf(request)
      .then((body) => parseBookingEvent(body, request.headers, secrets))
      .then((event) => {
        if (event.type === 'bookings.booking.created' || event.type === 'bookings.booking.deleted') take(event);
        return response.writeHead(204).end();
      })
      .catch((/** @type {unknown} */ error) => {
        onError?.(error);
        // The service sends the event again.
        response.writeHead(503).end();
      });
  });
}

/** The text of a body, which anyone can send, even without end. @param {import('node:http').IncomingMessage} request */
async function textOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('The body is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
