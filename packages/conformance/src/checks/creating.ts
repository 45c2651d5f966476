import { check, checksOf } from '../check.js';
import { expectHeader, expectSame, expectThat, isSuccess } from '../expectations.js';
import { aKey, aResource, aSlot } from '../inventions.js';
import { expectListed } from '../listing.js';
import { expectProblem } from '../problems.js';
import { idsOf, readBooking, readPage } from '../reading.js';
import { row } from '../row.js';
import { COLLECTION, JSON_HEADERS, pathOf, post } from '../service.js';

const BAD_KEY = { 'idempotency-key': 'a b' };
const BAD_TYPE = { 'content-type': 'text/plain' };
const BAD_ENCODING = { 'content-encoding': 'gzip' };
const TOO_LARGE = `{"a":"${'x'.repeat(65_536)}"}`;

/** Creates that are rejected for other reasons, and would hold `slot` otherwise. */
const rejections = (slot: object): { body: string; headers?: Record<string, string> }[] => [
  { body: JSON.stringify({ slot }).slice(0, -1) },
  { body: JSON.stringify({ slot }), headers: BAD_TYPE },
  { body: JSON.stringify({ slot }), headers: BAD_ENCODING },
  { body: JSON.stringify({ slot, long: 'x'.repeat(65_536) }) },
  { body: JSON.stringify({ slot, booking_id: 'mine' }) },
  { body: JSON.stringify({ slot: { ...slot, note: 1 } }) },
];

export const creating = checksOf('Creating', 'interface', [
  check('create.location', '201 comes with Location: /v1/bookings/{booking_id}', async (service) => {
    const response = await service.create({});
    expectHeader(response, 'location', pathOf(readBooking(response).booking_id));
  }),
  check('create.etag', '201 comes with the ETag of the booking, its quoted id', async (service) => {
    const response = await service.create({});
    expectHeader(response, 'etag', `"${readBooking(response).booking_id}"`);
  }),
  check('create.listed', 'a booking is on the list as soon as its create has its response', async (service) => {
    for (let hour = 0; hour < 5; hour++) {
      const slot = aSlot(aResource(), hour);
      const booking = await service.book({ slot });
      await expectListed(service, { resource_id: slot.resource_id }, [booking]);
    }
  }),
  row('create.no-body', 'a missing body is `{}`, whatever its type is said to be', 'success', [
    { method: 'POST' },
    { method: 'POST', body: '' },
    { method: 'POST', body: '', chunked: true },
    { method: 'POST', headers: JSON_HEADERS },
    post('', { 'content-type': 'text/plain', 'content-encoding': 'gzip' }),
  ]),
  check('create.names-twice', 'where a name appears twice, the last one counts', async (service) => {
    const [first, last] = [aSlot(aResource()), aSlot(aResource())].map((slot) => JSON.stringify(slot));
    const json = `{"a":1,"slot":${first},"b":{"c":1,"c":2},"a":{"last":true},"slot":${last}}`;
    const response = await service.post(json);
    const { a, b, slot } = readBooking(response);
    expectSame(response, 'a, b and slot', [a, b, slot], [{ last: true }, { c: 2 }, JSON.parse(last!)]);
  }),
  row('create.query', 'query parameters of a create are ignored', 'success', [
    { ...post('{}'), target: `${COLLECTION}?limit=0&page=2&limit=%FF` },
  ]),
  // Creates with two faults: the one that is judged first is the one that the response names.
  row('create.judged.key-syntax', 'the syntax of the key is judged before the body', 'invalid-request', [
    ...[TOO_LARGE, '{', '[]'].map((body) => post(body, BAD_KEY)),
    post('{}', { ...BAD_KEY, ...BAD_TYPE }),
  ]),
  row('create.judged.size', 'the size is judged before the type and the encoding', 'payload-too-large', [
    post(TOO_LARGE, BAD_TYPE),
    post(TOO_LARGE, BAD_ENCODING),
  ]),
  row('create.judged.type', 'the type and the encoding are judged before the JSON', 'unsupported-media-type', [
    post('{', BAD_TYPE),
    post('{', BAD_ENCODING),
  ]),
  check('create.judged.payload', 'the payload is judged before the use of the key', async (service) => {
    const key = aKey();
    await service.book({ n: 1 }, key);
    for (const payload of [{ booking_id: 'mine' }, { slot: null }]) {
      expectProblem(await service.create(payload, key), 'invalid-booking');
    }
  }),
  check('create.judged.key', 'the use of the key is judged before the slot', async (service) => {
    const [key, slot] = [aKey(), aSlot(aResource())];
    await service.book({ slot });
    await service.book({ n: 1 }, key);
    expectProblem(await service.create({ slot }, key), 'idempotency-key-reused');
  }),
  check('create.rejected.no-slot', 'a rejected create leaves nothing: no slot', async (service) => {
    const slot = aSlot(aResource());
    for (const { body, headers } of rejections(slot)) await service.post(body, headers);
    await service.book({ slot });
  }),
  check('create.rejected.no-booking', 'a rejected create leaves nothing: no booking', async (service) => {
    const [slot, key] = [aSlot(aResource()), aKey()];
    for (const { body, headers } of rejections(slot)) await service.post(body, headers);
    const made = [
      await service.create({ slot }, key),
      await service.create({ slot }),
      await service.create({ slot, n: 1 }, key),
    ];
    const bookings = made.filter(isSuccess).map(readBooking);
    await expectListed(service, { resource_id: slot.resource_id }, bookings);
    const newest = await service.list({ limit: 100 });
    const own = readPage(newest).bookings.filter((booking) => booking.slot?.resource_id === slot.resource_id);
    const isAll = idsOf(own).every((id) => idsOf(bookings).includes(id));
    expectThat(newest, isAll, 'no booking of a rejected create');
  }),
  check('create.rejected.no-key', 'a rejected create leaves nothing: no key', async (service) => {
    for (const { body, headers = {} } of rejections(aSlot(aResource()))) {
      const key = aKey();
      await service.post(body, { ...headers, 'idempotency-key': key });
      const response = await service.create({ note: 'another payload' }, key);
      readBooking(response);
      expectHeader(response, 'idempotent-replayed', undefined);
    }
  }),
]);
