import { check, checksOf, type Statement } from '../check.js';
import { expectSame, expectThat } from '../expectations.js';
import { aResource, aSlot, type Slot } from '../fixtures.js';
import { expectProblem } from '../problems.js';

const EVEN_HOURS = ['00', '02', '04', '06', '08', '10', '12', '14', '16', '18', '20', '22'];

/** Slots written as `09:00-10:00 23:00-24:30`; the hours of the next day begin with 24. */
function slotsOf(resource: string, windows: string): Slot[] {
  return Array.from(windows.matchAll(/(\S+)-(\S+)/g), ([, start, end]) =>
    aSlot(resource, hoursOf(start!), hoursOf(end!)),
  );
}

function hoursOf(time: string): number {
  const [hours, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return hours! + minutes / 60 + seconds / 3_600;
}

/** Books each `free` window of one resource, and then expects each `taken` window to be rejected. */
const slots = (id: string, title: string, free: string, taken: string): Statement =>
  check(id, title, async (service) => {
    const resource = aResource();
    for (const slot of slotsOf(resource, free)) await service.book({ slot });
    for (const slot of slotsOf(resource, taken)) expectProblem(await service.create({ slot }), 'slot-taken');
  });

export const overlaps = checksOf('The slot', 'interface', [
  slots('slot.half-open', 'windows that only touch do not overlap', '09:00-10:00 08:00-09:00 10:00-11:00', ''),
  slots(
    'slot.overlap-rejected',
    'two bookings never hold overlapping slots of one resource',
    '09:00-11:00 23:30-24:30 48:00-49:00',
    '09:00-11:00 09:00-11:00 09:30-10:00 09:00-09:30 10:30-11:00 08:00-12:00 08:00-09:30 10:30-12:00 ' +
      '24:00-24:15 47:30-48:30',
  ),
  slots(
    'slot.overlap.millisecond',
    'windows that share one millisecond overlap',
    '09:00-11:00 13:00-13:00:00.001',
    '08:00-09:00:00.001 10:59:59.999-12:00 13:00-13:00:00.001',
  ),
  check('slot.overlap.offsets', 'slots overlap by their instants, whatever the offset', async (service) => {
    const resource_id = aResource();
    await service.book({ slot: aSlot(resource_id, 9, 10) });
    const same = { resource_id, start: '2030-01-01T14:30:00+05:30', end: '2030-01-01T02:00:00-08:00' };
    expectProblem(await service.create({ slot: same }), 'slot-taken');
    await service.book({ slot: { resource_id, start: '2030-01-01T09:00:00+02:00', end: '2030-01-01T10:00:00+02:00' } });
  }),
  check('slot.overlap.conflicting-slot', '`conflicting_slot` is one overlapping slot, no more', async (service) => {
    const resource = aResource();
    const held = [aSlot(resource, 9), aSlot(resource, 11)];
    const others = ['confidential'];
    for (const slot of held) {
      const { booking_id, created_at } = await service.book({ slot, guest: 'confidential' });
      others.push(booking_id, created_at);
    }
    const one = await service.create({ slot: aSlot(resource, 11.5, 14) });
    expectSame(one, 'conflicting_slot', expectProblem(one, 'slot-taken')['conflicting_slot'], held[1]);
    const both = await service.create({ slot: aSlot(resource, 8, 14) });
    const named = expectProblem(both, 'slot-taken')['conflicting_slot'] as Slot | undefined;
    const isOne = held.some(({ start }) => start === named?.start);
    expectThat(both, isOne, 'conflicting_slot: one of the two slots that are held');
    expectThat(both, !others.some((other) => both.text.includes(other)), 'nothing else of the booking');
  }),
  slots(
    'slot.overlap.many',
    'no slot of many on a resource is booked twice',
    EVEN_HOURS.map((hour) => `${hour}:00-${hour}:59`).join(' '),
    EVEN_HOURS.map((hour) => `${hour}:30-${hour}:45`).join(' '),
  ),
]);
