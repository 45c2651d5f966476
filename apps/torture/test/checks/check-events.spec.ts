import type { Received } from 'testing';
import { checkEvents } from './check-events.js';
import type { KeptBooking } from './history.js';
import { aCreate, aHistory, aRow } from './hand-made.js';

const slot = { resource_id: 'room' };
const kept = (request: string, hours: [number, number]): KeptBooking => ({
  ...aRow({ request, hours }),
  json: JSON.stringify({ booking_id: request, slot, guest: 'Ada' }),
});
const [a, b] = [kept('a', [9, 10]), kept('b', [10, 11])];
const history = aHistory({
  creates: [
    aCreate({ request: 'a', hours: [9, 10], time: [0, 5] }),
    aCreate({ request: 'b', hours: [10, 11], time: [8, 9] }),
  ],
});
/** `a` is deleted before `b` is requested. */
const deletions = [{ row: a, completed: 7 }];

function aDelivery(sequence: number, type: string, id: string, data: string, previous = sequence - 1): Received {
  const [subject] = /[^-]+$/.exec(id)!;
  const body = `{"id":"${id}","type":"bookings.booking.${type}","subject":"${subject}","sequence":"${sequence}","previous":"${previous}","data":${data}}`;
  return { event: JSON.parse(body) as Received['event'], body, headers: {}, path: '', method: '', at: 0 };
}

const deleted = JSON.stringify({ booking_id: 'a', slot, deleted_at: '2026-12-01T09:00:00.000Z' });
const createdA = aDelivery(1, 'created', 'created-a', a.json);
const inItsPlace = aDelivery(1, 'deleted', 'created-a', deleted);
const deletedA = aDelivery(2, 'deleted', 'deleted-a', deleted);
const createdB = aDelivery(3, 'created', 'created-b', b.json);

const violationsOf = (...endpoints: Received[][]) => checkEvents(endpoints, [b], history, deletions);

describe('The check of events', () => {
  it('finds nothing where each is delivered, also a deletion in the place of a creation, and again', () => {
    expect(violationsOf([createdA, deletedA, createdB], [inItsPlace, deletedA, createdB, deletedA])).toEqual([]);
  });

  it.each<[string, Received[], string]>([
    ['an event that is missing', [createdA, deletedA], 'E1: created-b was not delivered'],
    ['a deletion that is missing', [createdA, createdB], 'E1: deleted-a was not delivered'],
    ['a booking that nobody made', [createdA, deletedA, createdB, aDelivery(4, 'created', 'created-c', '{}')], 'E1: c'],
    ['other bytes', [aDelivery(1, 'created', 'created-a', '{}'), deletedA, createdB], 'E1: a was delivered as'],
    [
      'a deletion with what the creator sent',
      [createdA, aDelivery(2, 'deleted', 'deleted-a', a.json), createdB],
      'E1: a was delivered as',
    ],
    [
      'a deletion of a booking that is there',
      [createdA, deletedA, aDelivery(3, 'deleted', 'created-b', deleted)],
      'E1: b was delivered as',
    ],
    [
      'a wrong number before',
      [createdA, aDelivery(2, 'deleted', 'deleted-a', deleted, 0), createdB],
      'E2: 2 follows 0',
    ],
    ['a deletion that comes late', [createdA, createdB, deletedA], 'E3: 2 of room was delivered late'],
    [
      'a deletion with a higher number than what was requested later',
      [createdA, aDelivery(2, 'created', 'created-b', b.json), aDelivery(3, 'deleted', 'deleted-a', deleted)],
      'E3: 2 of room was requested after 3',
    ],
  ])('finds %s', (_what, delivered, violation) => {
    expect(violationsOf(delivered)).toContainEqual(expect.stringContaining(violation));
  });

  it('finds one number for two events', () => {
    const other = [
      createdA,
      aDelivery(3, 'deleted', 'deleted-a', deleted),
      aDelivery(2, 'created', 'created-b', b.json),
    ];
    expect(violationsOf([createdA, deletedA, createdB], other)).toContainEqual(
      'E2: 3 is created-b and, at 1, deleted-a.',
    );
  });
});
