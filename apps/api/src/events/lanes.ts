import { crc32 } from 'node:zlib';
import type { BookingEvent } from './event.js';
import { MAX_REQUESTS } from './post.js';

/**
 * Sends events concurrently, those of one resource one after the other, until one of them says that no other may follow.
 * Resolves when none is under way.
 *
 * @param send returns whether others may follow
 * @returns whether all were sent, and others may follow
 * @throws Error the first that `send` throws, which stops the others too
 */
export async function inLanes(
  events: readonly BookingEvent[],
  send: (event: BookingEvent) => Promise<boolean>,
): Promise<boolean> {
  let mayGoOn = true;
  const sendLane = async (lane: readonly BookingEvent[]): Promise<void> => {
    for (const event of lane) {
      if (!mayGoOn) return;
      const mayFollow = await send(event).catch((error: unknown) => {
        mayGoOn = false;
        throw error;
      });
      mayGoOn &&= mayFollow;
    }
  };
  const ended = await Promise.allSettled(lanesOf(events).map(sendLane));
  for (const lane of ended) if (lane.status === 'rejected') throw lane.reason;
  return mayGoOn;
}

/** Events of one resource are in one lane, in their order; those without one are in any. */
function lanesOf(events: readonly BookingEvent[]): BookingEvent[][] {
  const lanes: BookingEvent[][] = Array.from({ length: MAX_REQUESTS }, () => []);
  for (const event of events) {
    const lane = event.resourceId === undefined ? event.sequence : crc32(event.resourceId);
    lanes[lane % MAX_REQUESTS]!.push(event);
  }
  return lanes;
}
