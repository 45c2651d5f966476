import { checksOf } from '../check.js';
import { expectSame } from '../expectations.js';
import { aFarHour, aResource, aSlot, at } from '../inventions.js';
import { type Booking, idsOf, readBooking } from '../reading.js';
import type { Query, Service } from '../service.js';
import { walk } from '../walk.js';

const SORTS = ['-created_at', 'created_at', 'start', '-start'];

/**
 * Sees that a walk in each order shows of the bookings of a check, which were made one after the other, exactly these.
 *
 * @param byStart the bookings that are in the window, by their start
 */
async function expectWalks(service: Service, query: Query, made: Booking[], byStart: Booking[]): Promise<void> {
  const own = new Set(idsOf(made));
  const byCreation = byStart.toSorted((a, b) => (a.created_at + a.booking_id < b.created_at + b.booking_id ? -1 : 1));
  for (const sort of SORTS) {
    const rising = sort.endsWith('start') ? byStart : byCreation;
    const expected = idsOf(sort.startsWith('-') ? rising.toReversed() : rising);
    for (const limit of [2, 3]) {
      const walked = idsOf((await walk(service, { ...query, sort, limit })).flat()).filter((id) => own.has(id));
      expectSame(await service.list({ ...query, sort, limit }), `ids of a walk by ${sort}`, walked, expected);
    }
  }
}

/** Books the hours one after the other. @returns the bookings by their start, then by id */
async function book(
  service: Service,
  hours: readonly number[],
  resource: (hour: number) => string,
): Promise<Booking[]> {
  const bookings: Booking[] = [];
  for (const hour of hours) {
    bookings.push(readBooking(await service.create({ slot: aSlot(resource(hour), hour, hour + 0.5) })));
  }
  const place = ({ slot, booking_id }: Booking): string => slot!.start + booking_id;
  return bookings.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}

export const windowWalks = checksOf('The list', 'interface', [
  {
    id: 'list.walk.window',
    title: 'a walk of a window shows every booking in it exactly once, in the order of each `sort`',
    writes: true,
    run: async (service) => {
      const hour = aFarHour();
      // Three of them begin at the same instant.
      const hours = [4, 3, 1, 6, 3, 0, 5, 2, 3].map((each) => hour + each);
      const bookings = await book(service, hours, aResource);
      await expectWalks(service, { from: at(hour + 0.5), to: at(hour + 6) }, bookings, bookings.slice(1, 8));
    },
  },
  {
    id: 'list.walk.resource-window',
    title: 'a walk of a window of one resource shows every booking in it exactly once, in the order of each `sort`',
    writes: true,
    run: async (service) => {
      const resource = aResource();
      const bookings = await book(service, [4, 1, 6, 3, 0, 5, 2], () => resource);
      const [resource_id, from, to] = [resource, at(0.5), at(6)];
      await expectWalks(service, { resource_id, from, to }, bookings, bookings.slice(1, 6));
      await expectWalks(service, { resource_id, from }, bookings, bookings.slice(1));
      await expectWalks(service, { resource_id, to }, bookings, bookings.slice(0, 6));
    },
  },
]);
