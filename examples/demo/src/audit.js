/** @typedef {import('@booking-service/client').BookingDto} Booking */

/**
 * Compares the list of bookings with the responses. Returns a line for every broken promise.
 * @param {readonly Booking[]} listed
 * @param {readonly Booking[]} accepted the bookings in all responses, including those to repeated requests
 */
export function audit(listed, accepted) {
  const ids = listed.map((booking) => booking.booking_id);
  const byId = new Map(listed.map((booking) => [booking.booking_id, JSON.stringify(booking)]));
  const acceptedIds = new Set(accepted.map((booking) => booking.booking_id));
  const slots = listed.flatMap(({ slot }) => slot ?? []).toSorted((one, other) => (one.start < other.start ? -1 : 1));
  /** @type {Map<string, string>} */
  const latestEnd = new Map();
  const overlapping = slots.filter(({ resource_id: resource, start, end }) => {
    const isBooked = (latestEnd.get(resource) ?? '') > start;
    latestEnd.set(resource, end);
    return isBooked;
  });
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is listed twice`),
    ...ids.filter((id) => !acceptedIds.has(id)).map((id) => `${id} is listed, but no response had it`),
    ...accepted
      .filter((booking) => byId.get(booking.booking_id) !== JSON.stringify(booking))
      .map(({ booking_id: id }) => `${id} is missing, or listed differently from the response to its create`),
    ...overlapping.map(({ resource_id: resource, start }) => `${resource} is booked twice at ${start}`),
  ];
}
