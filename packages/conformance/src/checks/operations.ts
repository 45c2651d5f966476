import { checksOf } from '../check.js';
import type { ReceivedResponse } from '../exchange.js';
import { expectSame, expectStatus, expectThat } from '../expectations.js';
import { readBooking, readPage } from '../reading.js';
import { COLLECTION, pathOf } from '../service.js';

/** One request of each kind whose response has a body. */
export const operations = checksOf('The operations', 'interface', [
  {
    id: 'operations.list.status',
    title: 'the list responds with 200',
    writes: false,
    run: async (service) => expectStatus(await service.get(COLLECTION), 200),
  },
  {
    id: 'operations.list.page',
    title: 'the list responds with `bookings` and with `next_cursor`, a string or null',
    writes: false,
    run: async (service) => void readPage(await service.get(COLLECTION)),
  },
  {
    id: 'operations.create.status',
    title: 'a create responds with 201',
    writes: true,
    run: async (service) => expectStatus(await service.create({}), 201),
  },
  {
    id: 'operations.create.booking',
    title: 'a create responds with the booking',
    writes: true,
    run: async (service) => {
      const response = await service.create({ note: 'window seat' });
      expectSame(response, 'note', readBooking(response)['note'], 'window seat');
    },
  },
  {
    id: 'operations.get.status',
    title: 'a get responds with 200',
    writes: false,
    run: async (service) => expectStatus(await service.get(pathOf(await service.anId())), 200),
  },
  {
    id: 'operations.get.booking',
    title: 'a get responds with the booking of that id',
    writes: false,
    run: async (service) => {
      for (const id of await service.ids(1)) {
        const response = await service.get(pathOf(id));
        expectSame(response, 'booking_id', readBooking(response).booking_id, id);
      }
    },
  },
  {
    id: 'operations.media-type.success',
    title: 'success bodies are application/json in UTF-8, whatever Accept says',
    writes: false,
    run: async (service) => {
      for (const target of [COLLECTION, pathOf(await service.anId())]) {
        for (const accept of ['*/*', 'text/html', 'application/xml;q=0.9']) {
          expectMediaType(await service.get(target, { accept }), 'application/json');
        }
      }
    },
  },
  {
    id: 'operations.media-type.created',
    title: 'the booking that a create responds with is application/json in UTF-8',
    writes: true,
    run: async (service) => {
      const response = await service.post('{"note":"Łódź \u{1F6AA}"}', { accept: 'text/html' });
      expectMediaType(response, 'application/json');
      expectSame(response, 'note', readBooking(response)['note'], 'Łódź \u{1F6AA}');
    },
  },
  {
    id: 'operations.media-type.errors',
    title: 'errors are application/problem+json in UTF-8, whatever Accept says',
    writes: false,
    run: async (service) => {
      for (const target of [`${COLLECTION}?limit=0`, `${COLLECTION}/nothing`, '/v1/nothing']) {
        for (const accept of ['*/*', 'text/html', 'application/json']) {
          expectMediaType(await service.get(target, { accept }), 'application/problem+json');
        }
      }
    },
  },
]);

/** `charset=utf-8` may be said, though JSON is nothing else. */
function expectMediaType(response: ReceivedResponse, expected: string): void {
  const got = response.headers['content-type'] ?? '(absent)';
  const isExpected = got.toLowerCase().replace(/\s*;\s*charset="?utf-8"?\s*$/, '') === expected;
  expectThat(response, isExpected, `content-type: ${expected}`, `content-type: ${got}`);
  expectThat(response, Buffer.from(response.text).equals(response.bytes), 'UTF-8', 'bytes that are none');
}
