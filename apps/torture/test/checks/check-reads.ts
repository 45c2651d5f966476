import { groupBy, overlap } from './grouping.js';
import type { Acknowledged, History, Payload, Violations } from './history.js';

/** C3: a read that begins after an acknowledgement sees the booking, on any replica. */
export function checkRecency(history: History): Violations {
  const acknowledged = firstAcknowledgements(history);
  const gets = history.gets.flatMap(({ bookingId, invoked, response, replica }) => {
    const booking = acknowledged.get(bookingId);
    if (response === undefined || response.status === 503 || booking === undefined) return [];
    if (booking.call.completed > invoked || response.text === booking.response.text) return [];
    return [`C3: GET ${bookingId} at ${replica} is ${response.status} ${response.text} after its acknowledgement.`];
  });
  const byResource = groupBy([...acknowledged.values()], ({ call }) => call.payload.slot?.resource_id);
  const lists = history.lists.flatMap(({ resourceId, window, invoked, response, replica }) => {
    if (response?.status !== 200) return [];
    const { bookings, next_cursor } = JSON.parse(response.text) as {
      bookings: { booking_id: string }[];
      next_cursor: unknown;
    };
    if (next_cursor !== null) return [`C3: the list of ${resourceId} does not fit a page: the test is wrong.`];
    const shown = new Set(bookings.map(({ booking_id }) => booking_id));
    const due = (byResource.get(resourceId) ?? []).filter(
      ({ call }) => call.completed <= invoked && (window === undefined || overlap(call.payload.slot!, { ...window })),
    );
    return due.flatMap(({ bookingId }) =>
      shown.has(bookingId)
        ? []
        : [`C3: the list of ${resourceId} at ${replica} lacks ${bookingId}, acknowledged before.`],
    );
  });
  return [...gets, ...lists];
}

/** C6: a walk shows every booking that was acknowledged before it began exactly once, and none twice. */
export function checkWalks(history: History): Violations {
  const acknowledged = [...firstAcknowledgements(history).values()];
  return history.walks.flatMap(({ list, invoked, bookingIds, isWhole }, number) => {
    const shown = new Set(bookingIds);
    const name = `C6: walk ${number} of ${JSON.stringify(list)}`;
    const isOnList = ({ slot }: Payload): boolean => slot !== undefined || !('from' in list);
    const twice =
      shown.size < bookingIds.length ? [`${name} shows ${bookingIds.length - shown.size} bookings twice.`] : [];
    if (!isWhole) return twice;
    const due = acknowledged.filter(({ call }) => call.completed <= invoked && isOnList(call.payload));
    const missing = due.filter(({ bookingId }) => !shown.has(bookingId));
    return [...twice, ...missing.map(({ bookingId }) => `${name} lacks ${bookingId}, acknowledged before it began.`)];
  });
}

/** The first acknowledgement of every booking. */
function firstAcknowledgements(history: History): Map<string, Acknowledged> {
  const sorted = history.acknowledged().toSorted((a, b) => b.call.completed - a.call.completed);
  return new Map(sorted.map((booking) => [booking.bookingId, booking]));
}
