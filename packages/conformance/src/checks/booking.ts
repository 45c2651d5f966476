import { check, checksOf } from '../check.js';
import type { ReceivedResponse } from '../exchange.js';
import { expectSame, expectText, expectThat } from '../expectations.js';
import { Skipped } from '../failure.js';
import { aKey, aResource, aSlot } from '../fixtures.js';
import { readBooking, readObject, readPage } from '../reading.js';
import { returns } from '../statements.js';

/** Maximum milliseconds between `created_at` and `Date`, which has whole seconds and may come from a proxy. */
const MAX_SKEW = 10_000;

export const booking = checksOf('The booking', 'interface', [
  check('booking.created-at', '`created_at` is always set, in UTC, to the millisecond', async (service) => {
    const response = await service.getOne(await service.anId());
    const { created_at: createdAt } = readBooking(response);
    const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(createdAt);
    expectThat(response, isInstant, 'created_at as 2030-01-01T09:00:00.000Z', `created_at: ${createdAt}`);
  }),
  check('booking.created-at.now', '`created_at` is the time of the create', async (service) => {
    const response = await service.create({});
    const { created_at: createdAt } = readBooking(response);
    const { date } = response.headers;
    if (date === undefined) throw new Skipped('the response has no Date');
    const isNow = Math.abs(Date.parse(createdAt) - Date.parse(date)) <= MAX_SKEW;
    expectThat(response, isNow, `created_at: about ${date}`, `created_at: ${createdAt}`);
  }),
  check('booking.without-slot', 'a booking without a slot is returned without the member', async (service) => {
    const response = await service.create({ note: 'no slot' });
    expectSame(response, 'slot', readBooking(response).slot, undefined);
  }),
  returns('booking.details.values', "the creator's members come back with their values", () => [
    { z: 1, a: 'x', m: true, n: null, e: [], o: {}, t: '', f: -1.5e-7 },
    { deep: { z: [{ y: 1, x: [[2]] }], a: 0 } },
    { 'имя ключа': 'Łódź \u{1F6AA} e\u0301 \u2028 \t "\\/ \u007f <b>', '': { '': '' } },
    { most: 9_007_199_254_740_991, least: -9_007_199_254_740_991, tiny: 5e-324 },
    { instant: '2030-01-01T09:00:00+02:00', digits: '017', word: 'null', lines: 'a\r\nb', ends: ' x ', plus: '1+1%20' },
    { long: 'x'.repeat(10_000) },
    { id: 1, status: 'open', slot_ids: [], resource_id: 'x', starts: 'now', ends: 0, constructor: 1 },
  ]),
  check('booking.details.order', "the creator's members keep their order, after the service's", async (service) => {
    const slot = aSlot(aResource());
    const response = await service.create({ zeta: { yy: 1, xx: 2 }, slot, alpha: 1, middle: 2 });
    for (const name of ['booking_id', 'created_at', 'slot']) expectOrder(response, [name, 'zeta']);
    expectOrder(response, ['zeta', 'yy', 'xx', 'alpha', 'middle']);
  }),
  returns('booking.details.whole-numbers', 'names that look like whole numbers come back', () => [
    { alpha: 1, 70_010: 2, 70_009: { 1: 'one' } },
  ]),
  check('booking.same-bytes', 'create, replay, get and list return the same bytes for one booking', async (service) => {
    const resource = aResource();
    const key = aKey();
    const payload = { zeta: 'Łódź \u{1F6AA}', slot: aSlot(resource), alpha: [1.5, { b: null, a: '"' }] };
    const created = await service.create(payload, key);
    expectText(await service.create(payload, key), created.text);
    expectText(await service.getOne(readBooking(created).booking_id), created.text);
    const listed = await service.list({ resource_id: resource });
    expectThat(listed, listed.text.includes(created.text), `a list with ${created.text}`);
  }),
  check('booking.same-bytes.there', 'get and list return the same bytes for existing bookings', async (service) => {
    const listed = await service.list({ sort: 'created_at', limit: 5 });
    for (const { booking_id } of readPage(listed).bookings) {
      const response = await service.getOne(booking_id);
      readBooking(response);
      expectThat(listed, listed.text.includes(response.text), `a list with ${response.text}`);
    }
  }),
  check('booking.numbers', 'numbers are IEEE 754 doubles: `1.0` comes back as `1`', async (service) => {
    const response = await service.post('{"one":1.0,"minus":-0,"long":0.12345678901234567890,"small":1e-400}');
    readObject(response);
    const digits = { one: '1', minus: '0', long: '0.12345678901234568', small: '0' };
    for (const [name, expected] of Object.entries(digits)) {
      const got = new RegExp(`"${name}"\\s*:\\s*([^\\s,}]+)`).exec(response.text)?.[1];
      expectSame(response, name, got, expected);
    }
  }),
]);

/** Looks for the names in the text: a JSON parser may change their order. */
function expectOrder(response: ReceivedResponse, names: readonly string[]): void {
  const places = names.map((name) => response.text.indexOf(`"${name}"`));
  const inOrder = places.every((place, index) => place > (places[index - 1] ?? -1));
  expectThat(response, inOrder, `the members ${names.join(', ')} in this order`, response.text);
}
