import { setTimeout as sleep } from 'node:timers/promises';
import { bookingIdOf, type Delivery, type EventsReceiver, type Delivered } from './events-receiver.js';
import { expectStatus } from './expectations.js';
import { aKey, aResource, aSlot } from './inventions.js';
import { readBooking } from './reading.js';
import { pathOf, type Service } from './service.js';

/** Milliseconds between two polls for what has arrived. */
const POLL_INTERVAL = 10;

/**
 * Makes some bookings, in ways that could be delivered wrongly, and waits for their events: those of one resource, one
 * without a slot, one that is created twice with one key, and one that is rejected.
 *
 * @param timeout milliseconds that the events may take
 */
export async function collectDeliveries(
  service: Service,
  receiver: EventsReceiver,
  timeout: number,
): Promise<Delivered> {
  const resource = aResource();
  const made: string[] = [];
  const texts = new Map<string, string>();
  const rejected = new Set<unknown>();
  const firsts: string[] = [];
  receiver.rejects = (delivery) => {
    const slot = (delivery.event['data'] as { slot?: { resource_id?: unknown } } | undefined)?.slot;
    if (slot?.resource_id !== resource) return false;
    const id = bookingIdOf(delivery);
    if (!firsts.includes(id)) firsts.push(id);
    return firsts[1] === id && !rejected.has(id) && rejected.add(id) !== undefined;
  };
  const create = async (payload: object, key?: string): Promise<string> => {
    const { booking_id: id } = readBooking(await service.create(payload, key));
    texts.set(id, (await service.get(pathOf(id))).text);
    return id;
  };
  const ofOneResource: string[] = [];
  for (const hour of [9, 11, 10])
    ofOneResource.push(await create({ slot: aSlot(resource, hour), note: 'Łódź \u{1F6AA}' }));
  expectStatus(await service.create({ slot: aSlot(resource, 9) }), 409);
  made.push(...ofOneResource, await create({ 'no slot': [1, 1.5, { a: null }] }));
  const key = aKey();
  made.push(await create({ guest: 'Ada' }, key));
  await create({ guest: 'Ada' }, key);

  const deliveries = (): Delivery[] => receiver.deliveries.filter((each) => made.includes(bookingIdOf(each)));
  // Events of other clients may arrive after those of this run that follow them in sequence.
  const isLinked = (delivery: Delivery): boolean => {
    const previous = String(delivery.event['previous']);
    const sequences = receiver.deliveries.map(({ event }) => String(event['sequence']));
    return sequences.includes(previous) || sequences.every((sequence) => sequence > previous);
  };
  const isTaken = (id: string): boolean => deliveries().some((each) => each.isTaken && bookingIdOf(each) === id);
  const isOver = (): boolean => made.every(isTaken) && deliveries().every(isLinked);
  for (const deadline = Date.now() + timeout; !isOver() && Date.now() < deadline;) await sleep(POLL_INTERVAL);
  receiver.rejects = () => false;
  return { ids: made, ofOneResource, texts, deliveries: deliveries(), all: [...receiver.deliveries], receiver };
}
