import { checksOf } from '../check.js';
import { expectHeader, expectSame, expectThat, isSuccess } from '../expectations.js';
import { aKey, aResource, aSlot } from '../inventions.js';
import { idsOf, readBooking, readPage } from '../reading.js';
import { COLLECTION, JSON_HEADERS, pathOf } from '../service.js';

export const creating = checksOf('Creating', 'interface', [
  {
    id: 'create.location',
    title: '201 comes with Location: /v1/bookings/{booking_id}',
    writes: true,
    run: async (service) => {
      const response = await service.create({});
      expectHeader(response, 'location', pathOf(readBooking(response).booking_id));
    },
  },
  {
    id: 'create.etag',
    title: '201 comes with the ETag of the booking, its quoted id',
    writes: true,
    run: async (service) => {
      const response = await service.create({});
      expectHeader(response, 'etag', `"${readBooking(response).booking_id}"`);
    },
  },
  {
    id: 'create.listed',
    title: 'a booking is on the list as soon as its create has its response',
    writes: true,
    run: async (service) => {
      for (let hour = 0; hour < 5; hour++) {
        const slot = aSlot(aResource(), hour);
        const { booking_id } = readBooking(await service.create({ slot }));
        const response = await service.list({ resource_id: slot.resource_id });
        expectSame(response, 'the ids on the list', idsOf(readPage(response).bookings), [booking_id]);
      }
    },
  },
  {
    id: 'create.no-body',
    title: 'a missing body is `{}`, whatever its type is said to be',
    writes: true,
    run: async (service) => {
      for (const request of [
        {},
        { body: '' },
        { body: '', chunked: true },
        { headers: JSON_HEADERS },
        { body: '', headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' } },
      ]) {
        readBooking(await service.send({ method: 'POST', ...request }));
      }
    },
  },
  {
    id: 'create.names-twice',
    title: 'where a name appears twice, the last one counts',
    writes: true,
    run: async (service) => {
      const [first, last] = [aSlot(aResource()), aSlot(aResource())];
      const json = `{"a":1,"slot":${JSON.stringify(first)},"b":{"c":1,"c":2},"a":{"last":true},"slot":${JSON.stringify(last)}}`;
      const response = await service.post(json);
      const { a, b, slot } = readBooking(response);
      expectSame(response, 'a, b and slot', [a, b, slot], [{ last: true }, { c: 2 }, last]);
    },
  },
  {
    id: 'create.query',
    title: 'query parameters of a create are ignored',
    writes: true,
    run: async (service) => {
      const target = `${COLLECTION}?limit=0&page=2&limit=%FF`;
      readBooking(await service.send({ method: 'POST', target, body: '{}', headers: JSON_HEADERS }));
    },
  },
  {
    id: 'create.chunked',
    title: 'a body may come in chunks',
    writes: true,
    run: async (service) => {
      const body = '{"note":"\u{1F6AA}"}';
      const response = await service.send({ method: 'POST', body, chunked: true, headers: JSON_HEADERS });
      expectSame(response, 'note', readBooking(response)['note'], '\u{1F6AA}');
    },
  },
]);

/** Creates that are rejected for other reasons, and would hold `slot` otherwise. */
const rejections = (slot: object): { body: string; headers?: Record<string, string> }[] => [
  { body: JSON.stringify({ slot }).slice(0, -1) },
  { body: JSON.stringify({ slot }), headers: { 'content-type': 'text/plain' } },
  { body: JSON.stringify({ slot }), headers: { 'content-encoding': 'gzip' } },
  { body: JSON.stringify({ slot, long: 'x'.repeat(65_536) }) },
  { body: JSON.stringify({ slot, booking_id: 'mine' }) },
  { body: JSON.stringify({ slot: { ...slot, note: 1 } }) },
];

export const leftovers = checksOf('Creating', 'interface', [
  {
    id: 'create.rejected.no-slot',
    title: 'a rejected create leaves nothing: no slot',
    writes: true,
    run: async (service) => {
      const slot = aSlot(aResource());
      for (const { body, headers } of rejections(slot)) await service.post(body, headers);
      readBooking(await service.create({ slot }));
    },
  },
  {
    id: 'create.rejected.no-booking',
    title: 'a rejected create leaves nothing: no booking',
    writes: true,
    run: async (service) => {
      const [slot, key] = [aSlot(aResource()), aKey()];
      for (const { body, headers } of rejections(slot)) await service.post(body, headers);
      const made = [
        await service.create({ slot }, key),
        await service.create({ slot }),
        await service.create({ slot, n: 1 }, key),
      ];
      const ids = made.filter(isSuccess).map((response) => readBooking(response).booking_id);
      const onResource = await service.list({ resource_id: slot.resource_id });
      expectSame(onResource, 'ids on the resource', idsOf(readPage(onResource).bookings).toSorted(), ids.toSorted());
      const newest = await service.list({ limit: 100 });
      const own = readPage(newest).bookings.filter((booking) => booking.slot?.resource_id === slot.resource_id);
      const isAll = own.every(({ booking_id }) => ids.includes(booking_id));
      expectThat(newest, isAll, 'no booking of a rejected create');
    },
  },
  {
    id: 'create.rejected.no-key',
    title: 'a rejected create leaves nothing: no key',
    writes: true,
    run: async (service) => {
      for (const { body, headers = {} } of rejections(aSlot(aResource()))) {
        const key = aKey();
        await service.post(body, { ...headers, 'idempotency-key': key });
        const response = await service.create({ note: 'another payload' }, key);
        readBooking(response);
        expectThat(response, response.headers['idempotent-replayed'] === undefined, 'no Idempotent-Replayed');
      }
    },
  },
]);
