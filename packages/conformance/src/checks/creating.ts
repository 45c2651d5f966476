import { check, checksOf } from '../check.js';
import { expectHeader, expectSame, expectStatus, expectThat, isSuccess } from '../expectations.js';
import { aKey, aResource, aSlot } from '../fixtures.js';
import { expectListed } from '../listing.js';
import { expectProblem } from '../problems.js';
import { idsOf, readBooking, readPage } from '../reading.js';
import { COLLECTION, JSON_HEADERS, pathOf, post } from '../service.js';
import { responds } from '../statements.js';

const BAD_KEY = { 'idempotency-key': 'a b' };
const BAD_TYPE = { 'content-type': 'text/plain' };
const BAD_ENCODING = { 'content-encoding': 'gzip' };
const TOO_LARGE = `{"a":"${'x'.repeat(65_536)}"}`;

/** Creates that are rejected although their slot is free. */
const rejections = (slot: object): { body: string; headers?: Record<string, string> }[] => [
  { body: JSON.stringify({ slot }).slice(0, -1) },
  { body: JSON.stringify({ slot }), headers: BAD_TYPE },
  { body: JSON.stringify({ slot }), headers: BAD_ENCODING },
  { body: JSON.stringify({ slot, long: 'x'.repeat(65_536) }) },
  { body: JSON.stringify({ slot, booking_id: 'mine' }) },
  { body: JSON.stringify({ slot: { ...slot, note: 1 } }) },
];

export const creating = checksOf('Creating', 'interface', [
  check('create.location', 'the 201 has `Location: /v1/bookings/{booking_id}`', async (service) => {
    const response = await service.create({});
    expectHeader(response, 'location', pathOf(readBooking(response).booking_id));
  }),
  check('create.etag', 'the 201 has the `ETag` of the booking', async (service) => {
    const response = await service.create({});
    expectHeader(response, 'etag', `"${readBooking(response).booking_id}"`);
  }),
  responds('create.no-body', 'a create without a body is `{}`', 'success', [
    { method: 'POST' },
    { method: 'POST', body: '' },
    { method: 'POST', body: '', chunked: true },
    { method: 'POST', headers: JSON_HEADERS },
  ]),
  check('create.names-twice', 'if a name appears twice, the last counts', async (service) => {
    const first = JSON.stringify(aSlot(aResource()));
    const last = JSON.stringify(aSlot(aResource()));
    const json = `{"a":1,"slot":${first},"b":{"c":1,"c":2},"a":{"last":true},"slot":${last}}`;
    const response = await service.post(json);
    const { a, b, slot } = readBooking(response);
    expectSame(response, 'a, b and slot', [a, b, slot], [{ last: true }, { c: 2 }, JSON.parse(last)]);
  }),
  responds('create.query', 'query parameters of a create are ignored', 'success', [
    { ...post('{}'), target: `${COLLECTION}?limit=0&page=2&limit=%FF` },
  ]),
  responds('create.judged.key-syntax', 'step 1, the syntax of the key, precedes the body', 'invalid-request', [
    ...[TOO_LARGE, '{', '[]'].map((body) => post(body, BAD_KEY)),
    post('{}', { ...BAD_KEY, ...BAD_TYPE }),
  ]),
  responds('create.judged.size', 'step 2, the size, precedes type and encoding', 'payload-too-large', [
    post(TOO_LARGE, BAD_TYPE),
    post(TOO_LARGE, BAD_ENCODING),
  ]),
  responds('create.judged.type', 'step 3, type and encoding, precedes the JSON', 'unsupported-media-type', [
    post('{', BAD_TYPE),
    post('{', BAD_ENCODING),
  ]),
  check('create.judged.payload', 'steps 5 and 6, the payload, precede the use of the key', async (service) => {
    const key = aKey();
    await service.book({ n: 1 }, key);
    for (const payload of [{ booking_id: 'mine' }, { slot: null }]) {
      expectProblem(await service.create(payload, key), 'invalid-booking');
    }
  }),
  check('create.judged.key', 'step 7, the use of the key, precedes the slot', async (service) => {
    const key = aKey();
    const slot = aSlot(aResource());
    await service.book({ slot });
    await service.book({ n: 1 }, key);
    expectProblem(await service.create({ slot }, key), 'idempotency-key-reused');
  }),
  check('create.rejected.no-slot', 'a rejected create leaves no slot', async (service) => {
    const slot = aSlot(aResource());
    for (const { body, headers } of rejections(slot)) await service.post(body, headers);
    await service.book({ slot });
  }),
  check('create.rejected.no-booking', 'a rejected create leaves no booking', async (service) => {
    const slot = aSlot(aResource());
    const key = aKey();
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
  check('create.rejected.no-key', 'a rejected create leaves no key', async (service) => {
    const slot = aSlot(aResource());
    await service.book({ slot });
    for (const { body, headers = {} } of [...rejections(slot), { body: JSON.stringify({ slot }) }]) {
      const key = aKey();
      expectStatus(await service.post(body, { ...headers, 'idempotency-key': key }), 'no success');
      const response = await service.create({ note: 'another payload' }, key);
      readBooking(response);
      expectHeader(response, 'idempotent-replayed', undefined);
    }
  }),
]);
