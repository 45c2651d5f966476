import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseBookingEvent } from '@booking-service/client/events';

/** @typedef {import('@booking-service/client/events').BookingCreatedEventDto} BookingCreated */
/** @typedef {import('@booking-service/client/events').BookingDeletedEventDto} BookingDeleted */
/** @typedef {BookingCreated | BookingDeleted} BookingEvent */
/** @typedef {(event: BookingEvent) => void} OnEvent */
/** @typedef {{ secrets: string[], file: string, onEvent: OnEvent, onGap?: (last: string) => void, onFault?: (error: unknown) => void }} Options */

/**
 * A receiver of one endpoint's events. It acknowledges an event when it is on disk, and hands every event on in the
 * order of its sequence, once in each run.
 *
 * @param {Options} options `onGap` is called while an event after `last` is missing that others follow
 */
export function createReceiver({ secrets, file, onEvent, onGap, onFault }) {
  /** The id of each event, by its sequence. @type {Map<string, string>} */
  const ids = new Map();
  /** Events that wait for those before them, by their sequence. @type {Map<string, BookingEvent>} */
  const waiting = new Map();
  const handedOn = new Set();
  let last = '0'.repeat(19);

  /** @param {BookingEvent} event */
  function take(event, isOnDisk = false) {
    const known = ids.get(event.sequence);
    if (known === event.id) return; // It came before.
    if (known !== undefined)
      throw new Error(`${event.id} has the sequence of ${known}. Ask the operator: \`webhooks renumber\``);
    if (!isOnDisk) appendFileSync(file, `${JSON.stringify(event)}\n`, { flush: true });
    ids.set(event.sequence, event.id);
    waiting.set(event.sequence, event);
    for (let next; (next = nextEvent()) !== undefined;) {
      waiting.delete(next.sequence);
      if (next.sequence > last) last = next.sequence;
      // After a restore, an event may come with another sequence.
      if (!handedOn.has(next.id)) onEvent(next);
      handedOn.add(next.id);
    }
    if (waiting.size > 0) onGap?.(last);
  }

  /** The event that follows nothing that is missing. After a restore, it may follow one that is long past. */
  function nextEvent() {
    return [...waiting.values()].find(({ previous }) => previous <= last);
  }

  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [''];
  const torn = lines.pop(); // Behind the last line end is what a crash broke off: it was never acknowledged.
  if (torn) truncateSync(file, Buffer.byteLength(lines.map((line) => `${line}\n`).join('')));
  for (const line of lines) take(/** @type {BookingEvent} */ (JSON.parse(line)), true);

  return createServer((request, response) => {
    text(request)
      .then((body) => parseBookingEvent(body, request.headers, secrets))
      .then((event) => {
        if (event.type === 'bookings.booking.created' || event.type === 'bookings.booking.deleted') take(event);
        return response.writeHead(204).end();
      })
      .catch((/** @type {unknown} */ error) => {
        onFault?.(error);
        // Not 4xx, which would park the event: so it is sent again until it is taken.
        response.writeHead(503).end();
      });
  });
}
