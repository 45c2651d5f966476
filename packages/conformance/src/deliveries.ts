import { setTimeout as sleep } from 'node:timers/promises';
import type { Delivered, EventsReceiver } from './events-receiver.js';
import { expectStatus } from './expectations.js';
import { aKey, aResource, aSlot } from './fixtures.js';
import type { Service } from './service.js';

/** Milliseconds between two looks at the deliveries. */
const POLL_INTERVAL = 10;

/**
 * Books with slots, without a slot, and twice with one key, then waits for the events. Of the events of bookings with
 * a slot, only the first one to arrive gets a 503.
 *
 * @param timeout maximum milliseconds to wait for all events
 */
export async function collectDeliveries(
  service: Service,
  receiver: EventsReceiver,
  timeout: number,
): Promise<Delivered> {
  const texts = new Map<string, string>();
  const book = async (payload: object, key?: string): Promise<void> => {
    const { booking_id: id } = await service.book(payload, key);
    texts.set(id, (await service.getOne(id)).text);
  };
  const resource = aResource();
  receiver.rejectsOnce = resource;
  for (const hour of [9, 11, 10]) await book({ slot: aSlot(resource, hour), note: 'Łódź \u{1F6AA}' });
  expectStatus(await service.create({ slot: aSlot(resource, 9) }), 409);
  await book({ 'no slot': [1, 1.5, { a: null }] });
  const key = aKey();
  for (let attempt = 0; attempt < 2; attempt++) await book({ guest: 'Ada' }, key);

  const missing = new Set(texts.keys());
  const deadline = Date.now() + timeout;
  while (missing.size > 0 && Date.now() < deadline) {
    await sleep(POLL_INTERVAL);
    for (const { bookingId, isAcknowledged } of receiver.deliveries) if (isAcknowledged) missing.delete(bookingId);
  }
  return { texts, deliveries: receiver.deliveries.filter(({ bookingId }) => texts.has(bookingId)) };
}
