/** @typedef {{ number: string, room: string, from: string, until: string, guest: string }} Arrival */

/** The line on the arrivals screen. @param {unknown} event with a verified signature @returns {Arrival | undefined} */
export function arrivalOf(event) {
  const { type, data } = /** @type {BookingEvent} */ (event);
  if (type !== 'bookings.booking.created' || data.slot === undefined) return undefined;
  const { resource_id: room, start: from, end: until } = data.slot;
  return { number: data.booking_id, room, from, until, guest: data.guest };
}

/** @typedef {{ resource_id: string, start: string, end: string }} Slot */
/** @typedef {{ type: string, data: { booking_id: string, slot?: Slot, guest: string } }} BookingEvent */
