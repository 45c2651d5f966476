import { checksOf } from '../check.js';
import { expectSame, expectThat } from '../expectations.js';
import { aResource, aSlot, type Slot } from '../inventions.js';
import { expectProblem } from '../problems.js';
import { readBooking } from '../reading.js';

const MILLISECOND = 1 / 3_600_000;

export const overlaps = checksOf('The slot', 'interface', [
  {
    id: 'slot.half-open',
    title: 'a slot may begin at the very instant at which another ends',
    writes: true,
    run: async (service) => {
      const resource = aResource();
      for (const [start, end] of [
        [9, 10],
        [8, 9],
        [10, 11],
      ] as const) {
        readBooking(await service.create({ slot: aSlot(resource, start, end) }));
      }
    },
  },
  {
    id: 'slot.overlap-rejected',
    title: 'two bookings never hold overlapping slots of one resource: the second is rejected with 409',
    writes: true,
    run: async (service) => {
      const resource = aResource();
      readBooking(await service.create({ slot: aSlot(resource, 9, 11) }));
      for (const [start, end] of [
        [9, 11],
        [9.5, 10],
        [9, 9.5],
        [10.5, 11],
        [8, 12],
        [8, 9.5],
        [10.5, 12],
      ] as const) {
        expectProblem(await service.create({ slot: aSlot(resource, start, end) }), 'slot-taken');
      }
    },
  },
  {
    id: 'slot.overlap.millisecond',
    title: 'an overlap of one millisecond is one, and a slot may be one millisecond long',
    writes: true,
    run: async (service) => {
      const resource = aResource();
      readBooking(await service.create({ slot: aSlot(resource, 9, 11) }));
      expectProblem(await service.create({ slot: aSlot(resource, 8, 9 + MILLISECOND) }), 'slot-taken');
      expectProblem(await service.create({ slot: aSlot(resource, 11 - MILLISECOND, 12) }), 'slot-taken');
      readBooking(await service.create({ slot: aSlot(resource, 13, 13 + MILLISECOND) }));
      expectProblem(await service.create({ slot: aSlot(resource, 13, 13 + MILLISECOND) }), 'slot-taken');
    },
  },
  {
    id: 'slot.overlap.offsets',
    title: 'slots overlap by their instants, not by their clock times',
    writes: true,
    run: async (service) => {
      const resource_id = aResource();
      readBooking(await service.create({ slot: aSlot(resource_id, 9, 10) }));
      const same = { resource_id, start: '2030-01-01T14:30:00+05:30', end: '2030-01-01T02:00:00-08:00' };
      expectProblem(await service.create({ slot: same }), 'slot-taken');
      const sameClock = { resource_id, start: '2030-01-01T09:00:00+02:00', end: '2030-01-01T10:00:00+02:00' };
      readBooking(await service.create({ slot: sameClock }));
    },
  },
  {
    id: 'slot.overlap.conflicting-slot',
    title: '`conflicting_slot` is one slot that is held and overlaps, and nothing else of that booking',
    writes: true,
    run: async (service) => {
      const resource = aResource();
      const held = [aSlot(resource, 9), aSlot(resource, 11)];
      for (const slot of held) readBooking(await service.create({ slot, guest: 'confidential' }));
      const one = await service.create({ slot: aSlot(resource, 11.5, 14) });
      expectSame(one, 'conflicting_slot', expectProblem(one, 'slot-taken')['conflicting_slot'], held[1]);
      const both = await service.create({ slot: aSlot(resource, 8, 14) });
      const named = expectProblem(both, 'slot-taken')['conflicting_slot'] as Slot | undefined;
      const isOne = held.some(({ start }) => start === named?.start);
      expectThat(both, isOne, 'conflicting_slot: one of the two slots that are held');
      expectThat(both, !both.text.includes('confidential'), 'nothing else of the booking');
    },
  },
  {
    id: 'slot.overlap.again',
    title: 'the same create is rejected as long as the slot is held',
    writes: true,
    run: async (service) => {
      const payload = { slot: aSlot(aResource()) };
      readBooking(await service.create(payload));
      for (let attempt = 0; attempt < 3; attempt++) expectProblem(await service.create(payload), 'slot-taken');
    },
  },
  {
    id: 'slot.overlap.many',
    title: 'each of many slots is held, also far from the first and the last',
    writes: true,
    run: async (service) => {
      const resource = aResource();
      for (let hour = 0; hour < 24; hour += 2) readBooking(await service.create({ slot: aSlot(resource, hour) }));
      for (let hour = 0; hour < 24; hour += 2) {
        expectProblem(await service.create({ slot: aSlot(resource, hour + 0.5, hour + 0.75) }), 'slot-taken');
      }
    },
  },
  {
    id: 'slot.none',
    title: 'a booking without a slot holds nothing',
    writes: true,
    run: async (service) => {
      for (let attempt = 0; attempt < 2; attempt++) readBooking(await service.create({ note: 'the same' }));
    },
  },
]);
