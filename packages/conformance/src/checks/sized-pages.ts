import { checksOf } from '../check.js';
import { expectSame, expectThat } from '../expectations.js';
import { Failure } from '../failure.js';
import { aResource, aSlot } from '../inventions.js';
import { idsOf, readBooking, readPage } from '../reading.js';
import { halfHour } from '../seeding.js';
import type { Service } from '../service.js';

const MEBIBYTE = 1_048_576;
/** Bookings of some 50 kB, three bytes to a character: 1.5 MiB together. */
const LARGE = 32;
const LARGE_TEXT = '\u20ac'.repeat(16_600);

/** Creates at once, at most. */
const AT_ONCE = 10;

async function bookAll(service: Service, payloads: readonly object[]): Promise<string[]> {
  const ids: string[] = [];
  for (let first = 0; first < payloads.length; first += AT_ONCE) {
    const responses = payloads.slice(first, first + AT_ONCE).map((payload) => service.create(payload));
    for (const response of await Promise.all(responses)) ids.push(readBooking(response).booking_id);
  }
  return ids;
}

export const sizedPages = checksOf('The list', 'interface', [
  {
    id: 'list.limit.most',
    title: '100 bookings are on a page where `limit` is 100',
    writes: true,
    run: async (service) => {
      const resource = aResource();
      await bookAll(
        service,
        Array.from({ length: 101 }, (_, hour) => ({ slot: halfHour(resource, hour) })),
      );
      const response = await service.list({ resource_id: resource, limit: 100 });
      expectSame(response, 'bookings on the page', readPage(response).bookings.length, 100);
    },
  },
  {
    id: 'list.page.bytes',
    title: 'a page ends early at about 1 MiB, has at least one booking, and the next one goes on from there',
    writes: true,
    run: async (service) => {
      const resource = aResource();
      const payloads = Array.from({ length: LARGE }, (_, hour) => ({ slot: aSlot(resource, hour), text: LARGE_TEXT }));
      const ids = await bookAll(service, payloads);
      for (const sort of ['-created_at', 'start']) {
        const walked: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const response = await service.list({ resource_id: resource, sort, limit: 100, ...(cursor && { cursor }) });
          const page = readPage(response);
          const { length } = response.bytes;
          const isFull = page.next_cursor === null || length > 0.75 * MEBIBYTE;
          expectThat(response, isFull && length < 1.25 * MEBIBYTE, 'a page of about 1 MiB', `${length} bytes`);
          if (page.bookings.length === 0) throw new Failure('a booking on the page', 'none', response.request);
          walked.push(...idsOf(page.bookings));
          cursor = page.next_cursor;
        }
        expectSame(await service.list({ resource_id: resource, limit: 1 }), 'ids', walked.toSorted(), ids.toSorted());
      }
    },
  },
]);
