import { checksOf } from '../check.js';
import type { ReceivedResponse } from '../exchange.js';
import { expectSame, expectText, expectThat } from '../expectations.js';
import { Skipped } from '../failure.js';
import { aKey, aResource, aSlot } from '../inventions.js';
import { readBooking, readObject, readPage } from '../reading.js';
import { pathOf } from '../service.js';

/** Milliseconds: `Date` has whole seconds, and a proxy may have its own clock. */
const NOW = 10_000;

export const booking = checksOf('The booking', 'interface', [
  {
    id: 'booking.created-at',
    title: '`created_at` is always there, in UTC, to the millisecond',
    writes: false,
    run: async (service) => {
      const response = await service.get(pathOf(await service.anId()));
      const { created_at: createdAt } = readBooking(response);
      const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(createdAt);
      expectThat(response, isInstant, 'created_at as 2030-01-01T09:00:00.000Z', `created_at: ${createdAt}`);
    },
  },
  {
    id: 'booking.created-at.now',
    title: '`created_at` is when the service made the booking, by its own clock (`Date`)',
    writes: true,
    run: async (service) => {
      const response = await service.create({});
      const { created_at: createdAt } = readBooking(response);
      const { date } = response.headers;
      if (date === undefined) throw new Skipped('the response has no Date');
      const isNow = Math.abs(Date.parse(createdAt) - Date.parse(date)) <= NOW;
      expectThat(response, isNow, `created_at: about ${date}`, `created_at: ${createdAt}`);
    },
  },
  {
    id: 'booking.without-slot',
    title: 'a booking without a slot is returned without the member',
    writes: true,
    run: async (service) => {
      const response = await service.create({ note: 'no slot' });
      const { slot } = readBooking(response);
      expectSame(response, 'slot', slot, undefined);
    },
  },
  {
    id: 'booking.details.values',
    title: "the creator's members come back with the values that were sent",
    writes: true,
    run: async (service) => {
      for (const details of [
        { z: 1, a: 'x', m: true, n: null, e: [], o: {}, t: '', f: -1.5e-7 },
        { deep: { z: [{ y: 1, x: [[2]] }], a: 0 } },
        { 'имя ключа': 'Łódź \u{1F6AA} e\u0301 \u2028 \t "\\/ \u007f <b>', '': { '': '' } },
        { most: 9_007_199_254_740_991, least: -9_007_199_254_740_991, tiny: 5e-324 },
        { id: 1, status: 'open', slot_ids: [], resource_id: 'x', starts: 'now', ends: 0, constructor: 1 },
      ]) {
        const response = await service.create(details);
        const returned = readBooking(response);
        for (const [name, value] of Object.entries(details)) expectSame(response, name, returned[name], value);
      }
    },
  },
  {
    id: 'booking.details.order',
    title: "the creator's members come in the order that was sent, after the service's",
    writes: true,
    run: async (service) => {
      const slot = aSlot(aResource());
      const response = await service.create({ zeta: { yy: 1, xx: 2 }, slot, alpha: 1, middle: 2 });
      const names = ['booking_id', 'created_at', 'slot', 'zeta', 'yy', 'xx', 'alpha', 'middle'];
      expectOrder(response, names);
    },
  },
  {
    id: 'booking.details.whole-numbers',
    title: 'names that look like whole numbers move to the front, in rising order',
    writes: true,
    run: async (service) => {
      const response = await service.post('{"alpha":1,"70010":2,"70009":3}');
      expectOrder(response, ['70009', '70010', 'booking_id', 'alpha']);
    },
  },
  {
    id: 'booking.same-bytes',
    title: 'create, replay, get and list show the same bytes for one booking',
    writes: true,
    run: async (service) => {
      const [resource, key] = [aResource(), aKey()];
      const payload = { zeta: 'Łódź \u{1F6AA}', slot: aSlot(resource), alpha: [1.5, { b: null, a: '"' }] };
      const created = await service.create(payload, key);
      expectText(await service.create(payload, key), created.text);
      expectText(await service.get(pathOf(readBooking(created).booking_id)), created.text);
      const listed = await service.list({ resource_id: resource });
      expectThat(listed, listed.text.includes(created.text), `a list with ${created.text}`);
    },
  },
  {
    id: 'booking.same-bytes.there',
    title: 'get and list show the same bytes for the bookings that are there already',
    writes: false,
    run: async (service) => {
      const listed = await service.list({ sort: 'created_at', limit: 5 });
      for (const { booking_id } of readPage(listed).bookings) {
        const response = await service.get(pathOf(booking_id));
        readBooking(response);
        expectThat(listed, listed.text.includes(response.text), `a list with ${response.text}`);
      }
    },
  },
  {
    id: 'booking.numbers',
    title:
      'numbers are doubles: `1.0` comes back as `1`, `-0` as `0`, `1e-400` as `0`, digits beyond a double are rounded',
    writes: true,
    run: async (service) => {
      const response = await service.post('{"one":1.0,"minus":-0,"long":0.12345678901234567890,"small":1e-400}');
      readObject(response);
      for (const [name, digits] of [
        ['one', '1'],
        ['minus', '0'],
        ['long', '0.12345678901234568'],
        ['small', '0'],
      ] as const) {
        const got = new RegExp(`"${name}"\\s*:\\s*([^\\s,}]+)`).exec(response.text)?.[1];
        expectSame(response, name, got, digits);
      }
    },
  },
]);

/** Reads the text: parsing would reorder the names. */
function expectOrder(response: ReceivedResponse, names: readonly string[]): void {
  const places = names.map((name) => response.text.indexOf(`"${name}"`));
  const inOrder = places.every((place, index) => place > (places[index - 1] ?? -1));
  expectThat(response, inOrder, `the members ${names.join(', ')} in this order`, response.text);
}
