import { check, checksOf, type Statement } from '../check.js';
import { expectSame, expectThat } from '../expectations.js';
import { aResource, aSlot, type Slot } from '../inventions.js';
import { expectProblem } from '../problems.js';

const MILLISECOND = 1 / 3_600_000;

type Hours = readonly (readonly [start: number, end: number])[];

/** A statement that all `free` slots of one resource can be booked, and each of `taken` is rejected afterwards. */
const slots = (id: string, title: string, free: Hours, taken: Hours): Statement =>
  check(id, title, async (service) => {
    const resource = aResource();
    for (const [start, end] of free) await service.book({ slot: aSlot(resource, start, end) });
    for (const [start, end] of taken) {
      expectProblem(await service.create({ slot: aSlot(resource, start, end) }), 'slot-taken');
    }
  });

const EVEN_HOURS = Array.from({ length: 12 }, (_, index) => 2 * index);

export const overlaps = checksOf('The slot', 'interface', [
  slots(
    'slot.half-open',
    'windows that only touch do not overlap',
    [
      [9, 10],
      [8, 9],
      [10, 11],
    ],
    [],
  ),
  slots(
    'slot.overlap-rejected',
    'two bookings never hold overlapping slots of one resource',
    [[9, 11]],
    [
      [9, 11],
      [9, 11],
      [9.5, 10],
      [9, 9.5],
      [10.5, 11],
      [8, 12],
      [8, 9.5],
      [10.5, 12],
    ],
  ),
  slots(
    'slot.overlap.millisecond',
    'an overlap of one millisecond is an overlap',
    [
      [9, 11],
      [13, 13 + MILLISECOND],
    ],
    [
      [8, 9 + MILLISECOND],
      [11 - MILLISECOND, 12],
      [13, 13 + MILLISECOND],
    ],
  ),
  check('slot.overlap.offsets', 'slots overlap by their instants, whatever the offset', async (service) => {
    const resource_id = aResource();
    await service.book({ slot: aSlot(resource_id, 9, 10) });
    const same = { resource_id, start: '2030-01-01T14:30:00+05:30', end: '2030-01-01T02:00:00-08:00' };
    expectProblem(await service.create({ slot: same }), 'slot-taken');
    await service.book({ slot: { resource_id, start: '2030-01-01T09:00:00+02:00', end: '2030-01-01T10:00:00+02:00' } });
  }),
  check(
    'slot.overlap.conflicting-slot',
    '`conflicting_slot` is one overlapping slot and nothing else',
    async (service) => {
      const resource = aResource();
      const held = [aSlot(resource, 9), aSlot(resource, 11)];
      for (const slot of held) await service.book({ slot, guest: 'confidential' });
      const one = await service.create({ slot: aSlot(resource, 11.5, 14) });
      expectSame(one, 'conflicting_slot', expectProblem(one, 'slot-taken')['conflicting_slot'], held[1]);
      const both = await service.create({ slot: aSlot(resource, 8, 14) });
      const named = expectProblem(both, 'slot-taken')['conflicting_slot'] as Slot | undefined;
      const isOne = held.some(({ start }) => start === named?.start);
      expectThat(both, isOne, 'conflicting_slot: one of the two slots that are held');
      expectThat(both, !both.text.includes('confidential'), 'nothing else of the booking');
    },
  ),
  slots(
    'slot.overlap.many',
    'each of many slots on a resource is held',
    EVEN_HOURS.map((hour) => [hour, hour + 1]),
    EVEN_HOURS.map((hour) => [hour + 0.5, hour + 0.75]),
  ),
]);
