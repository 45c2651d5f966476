/**
 * A waiting list, which receives the events of an endpoint with WEBHOOK_SECRET. Whoever waits makes a booking without
 * a slot, which names the wanted one in its member `waits_for`.
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { InvalidBookingError, SlotTakenError } from '@booking-service/client';
import { parseBookingEvent } from '@booking-service/client/events';
import { bookings, keyOf } from './bookings.js';
import { cancel } from './cancel.js';

/** @typedef {import('@booking-service/client').SlotDto} Slot */
/** @typedef {import('@booking-service/client/events').BookingEventDto<{ waits_for?: Slot }>} Event */

const { WEBHOOK_SECRET = '', PORT = '4000' } = process.env;

/** Books for everyone who waits for this resource and fits, first come, first served. @param {string} resource */
async function letIn(resource) {
  for await (const { booking_id: id, created_at: _, waits_for, ...details } of bookings.listAll({
    sort: 'created_at',
  })) {
    const slot = /** @type {Slot | undefined} */ (waits_for);
    if (slot?.resource_id !== resource) continue;
    try {
      // The event comes again after a crash, and finds the booking.
      const { booking_id } = await bookings.create({ ...details, slot }, { idempotencyKey: keyOf('waited', id) });
      await cancel(id);
      console.log(`${id} got ${booking_id}`);
    } catch (error) {
      if (!(error instanceof SlotTakenError || error instanceof InvalidBookingError)) throw error;
    }
  }
}

/** The resource that an event frees, or that its booking waits for. @param {Event} event */
function resourceOf(event) {
  if (event.type === 'bookings.booking.deleted') return event.data.slot?.resource_id;
  return event.type === 'bookings.booking.created' ? event.data.waits_for?.resource_id : undefined;
}

/** Maximum bytes of a body, more than any event has. */
const MAX_BYTES = 1_048_576;

/** The end of the last turn: events arrive in parallel but take turns, so that nobody is let in twice. */
let turn = Promise.resolve();

/** @param {Event} event */
async function take(event) {
  const resource = resourceOf(event);
  if (resource === undefined) return;
  turn = turn.catch(() => {}).then(() => letIn(resource));
  await turn;
}

const server = createServer((request, response) => {
  // A larger body would take memory before its signature is checked.
  if (!(Number(request.headers['content-length']) <= MAX_BYTES)) {
    response.writeHead(413).end();
    return;
  }
  text(request)
    .then((body) => parseBookingEvent(body, request.headers, WEBHOOK_SECRET))
    .then((/** @type {Event} */ event) => take(event))
    .then(() => response.writeHead(204).end())
    .catch((/** @type {unknown} */ error) => {
      console.error(error);
      // The service sends the event again.
      response.writeHead(503).end();
    });
});
server.listen(Number(PORT), () => console.log(`Receives events on http://localhost:${PORT}`));
