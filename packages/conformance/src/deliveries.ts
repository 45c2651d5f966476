import { setTimeout as sleep } from 'node:timers/promises';
import { bookingIdOf, type Delivery, type EventsReceiver, type Delivered } from './events-receiver.js';
import { expectStatus } from './expectations.js';
import { aKey, aResource, aSlot } from './inventions.js';
import { readBooking } from './reading.js';
import { pathOf, type Service } from './service.js';

/** Milliseconds between two polls for what has arrived. */
const POLL_INTERVAL = 10;

/**
 * Makes some bookings, in ways that could be delivered wrongly, and waits for their events: some of one resource, one
 * without a slot, one that is created twice with one key, and one that is rejected. The first event of them that
 * arrives is answered with 503.
 *
 * @param timeout milliseconds that the events may take
 */
export async function collectDeliveries(
  service: Service,
  receiver: EventsReceiver,
  timeout: number,
): Promise<Delivered> {
  const resource = aResource();
  const texts = new Map<string, string>();
  let rejectedId: string | undefined;
  receiver.rejects = (delivery) => {
    if (rejectedId !== undefined || !isOf(resource, delivery)) return false;
    rejectedId = bookingIdOf(delivery);
    return true;
  };
  const create = async (payload: object, key?: string): Promise<void> => {
    const { booking_id: id } = readBooking(await service.create(payload, key));
    texts.set(id, (await service.get(pathOf(id))).text);
  };
  for (const hour of [9, 11, 10]) await create({ slot: aSlot(resource, hour), note: 'Łódź \u{1F6AA}' });
  expectStatus(await service.create({ slot: aSlot(resource, 9) }), 409);
  await create({ 'no slot': [1, 1.5, { a: null }] });
  const key = aKey();
  for (let attempt = 0; attempt < 2; attempt++) await create({ guest: 'Ada' }, key);

  const ids = [...texts.keys()];
  const deliveries = (): Delivery[] => receiver.deliveries.filter((each) => texts.has(bookingIdOf(each)));
  const isOver = (): boolean =>
    ids.every((id) => deliveries().some((each) => each.isTaken && bookingIdOf(each) === id));
  for (const deadline = Date.now() + timeout; !isOver() && Date.now() < deadline;) await sleep(POLL_INTERVAL);
  receiver.rejects = () => false;
  return { ids, rejectedId, texts, deliveries: deliveries(), receiver };
}

function isOf(resource: string, { event }: Pick<Delivery, 'event'>): boolean {
  const { slot } = (event['data'] ?? {}) as { slot?: { resource_id?: unknown } };
  return slot?.resource_id === resource;
}
