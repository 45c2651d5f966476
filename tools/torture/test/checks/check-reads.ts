import type { BookingPageDto } from '@booking-service/contracts';
import { groupBy, overlap } from './grouping.js';
import type { GetCall, History, ListCall, Payload, Violations } from './history.js';

/** C3: a read that begins after an acknowledgement sees the booking, on any replica. */
export function checkRecency(history: History): Violations {
  const { bookings } = history;
  const byResource = groupBy([...bookings.values()], ({ payload }) => payload.slot?.resource_id);
  const checkGet = ({ bookingId, invoked, response, replica }: GetCall): Violations => {
    const booking = bookings.get(bookingId);
    if (response === undefined || response.status === 503 || booking === undefined) return [];
    if (booking.completed > invoked || response.text === booking.response.text) return [];
    return [`C3: GET ${bookingId} at ${replica} is ${response.status} ${response.text} after its acknowledgement.`];
  };
  const checkList = ({ resourceId, window, invoked, response, replica }: ListCall): Violations => {
    if (response?.status !== 200) return [];
    const page = JSON.parse(response.text) as BookingPageDto;
    const shown = new Set(page.bookings.map(({ booking_id }) => booking_id));
    const missing = (byResource.get(resourceId) ?? []).filter(
      ({ bookingId, completed, payload: { slot } }) =>
        completed <= invoked && (window === undefined || overlap(slot!, window)) && !shown.has(bookingId),
    );
    return missing.map(
      ({ bookingId }) => `C3: the list of ${resourceId} at ${replica} lacks ${bookingId}, acknowledged before.`,
    );
  };
  return [...history.gets.flatMap(checkGet), ...history.lists.flatMap(checkList)];
}

/** C6: a walk shows every booking that was acknowledged before it began, and no booking twice. */
export function checkWalks(history: History): Violations {
  const acknowledged = [...history.bookings.values()];
  return history.walks.flatMap(({ list, invoked, bookingIds, isWhole }, number) => {
    const shown = new Set(bookingIds);
    const name = `C6: walk ${number} of ${JSON.stringify(list)}`;
    const isOnList = ({ slot }: Payload): boolean => slot !== undefined || !('from' in list);
    const twice = bookingIds.length - shown.size;
    const missing = acknowledged.filter(
      ({ bookingId, completed, payload }) =>
        isWhole && completed <= invoked && isOnList(payload) && !shown.has(bookingId),
    );
    return [
      ...(twice > 0 ? [`${name} shows ${twice} bookings twice.`] : []),
      ...missing.map(({ bookingId }) => `${name} lacks ${bookingId}, acknowledged before it began.`),
    ];
  });
}
