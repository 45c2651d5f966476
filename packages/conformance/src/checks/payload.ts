import { check, checksOf } from '../check.js';
import { expectThat } from '../expectations.js';
import { aResource, aSlot } from '../fixtures.js';
import { expectErrorsOf, expectProblem, pointersOf } from '../problems.js';
import { post } from '../service.js';
import { rejectsPayloads, returns, responds } from '../statements.js';

const NEAR_MISSES = ['Slot', 'SLOT', '_slot', 's.l-ot', 'slot ', 'bookingId', 'BookingID', 'booking-id', 'createdAt'];
const PLURALS = ['slots', 'Slots', 'booking_ids', 'bookingIds', 'createdAts'];

const named = (...names: string[]): Record<string, string[]> =>
  Object.fromEntries(names.map((name) => [`#/${encodeURIComponent(name)}`, [JSON.stringify({ [name]: {} })]]));

const nested = (levels: number): string => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);
const nestedLists = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

export const payload = checksOf('Creating', 'interface', [
  rejectsPayloads('create.payload.set-by-service', 'no `booking_id` and no `created_at`', {
    '#/booking_id': ['{"booking_id":"01a1fbf1-f170-7874-aaaf-5a38b3e156b6"}', '{"booking_id":null}'],
    '#/created_at': ['{"created_at":"2030-01-01T09:00:00.000Z"}', '{"created_at":null}'],
  }),
  rejectsPayloads('create.payload.near-miss', 'no near miss of a reserved name', named(...NEAR_MISSES, 'created-at')),
  rejectsPayloads('create.payload.plural', 'no plural of a reserved name', named(...PLURALS)),
  rejectsPayloads('create.payload.unwrapped', 'no unwrapped slot', {
    '#/resource_id': [
      JSON.stringify(aSlot(aResource())),
      JSON.stringify({ resource_id: 'room', start: '2026-12-01T09:00:00Z' }),
      JSON.stringify({ end: null, resource_id: 7, guest: 'Ada' }),
    ],
  }),
  returns('create.payload.unwrapped.free', 'members of a slot are free on their own, and beside a slot', () => {
    const { resource_id, start, end } = aSlot(aResource());
    return [{ resource_id }, { start, end }, { slot: aSlot(aResource()), resource_id, start, end }];
  }),
  returns('create.payload.near-miss.free', 'names that only contain a reserved name are free', () => [
    { slotted: 1, slotss: 2, time_slots: 3, my_slot: 4, booking: 5, created: 6 },
  ]),
  returns('create.payload.reserved-below', 'reserved names and near misses are free below the top level', () => [
    { guest: { slot: null, booking_id: 1, created_at: 'x', Slot: 2, bookingId: 3 } },
  ]),
  rejectsPayloads('create.payload.proto', 'no member named `__proto__`, at any depth', {
    '#/__proto__': ['{"__proto__":{}}'],
    '#/a/0/__proto__': ['{"a":[{"__proto__":1}]}'],
    '#/a/__proto__': ['{"a":{"__\\u0070roto__":1}}'],
  }),
  rejectsPayloads('create.payload.surrogate', 'no lone surrogate, at any depth', {
    '#/a': ['{"a":"x\\ud800"}', '{"a":"\\udc00\\ud800"}', '{"a":{"\\ud800":1}}'],
    '#/a/b/0': ['{"a":{"b":["\\udc00x"]}}'],
  }),
  rejectsPayloads('create.payload.nul', 'no U+0000, at any depth', {
    '#/a': ['{"a":"\\u0000"}', '{"a":{"b\\u0000":1}}'],
    '#/a/0/b': ['{"a":[{"b":"x\\u0000y"}]}'],
  }),
  rejectsPayloads('create.payload.numbers', 'no number beyond a double, no whole number beyond ±9007199254740991', {
    '#/a': ['{"a":1e400}', '{"a":9007199254740992}', '{"a":-9007199254740992}'],
    '#/a/1': ['{"a":[0,-1e400]}'],
    '#/a/b': ['{"a":{"b":1e21}}'],
  }),
  responds('create.payload.levels.accepted', 'a payload may have 32 levels', 'success', [
    post(nested(32)),
    post(nestedLists(32)),
  ]),
  responds('create.payload.levels.rejected', 'a payload has at most 32 levels', 'invalid-booking', [
    post(nested(33)),
    post(nestedLists(33)),
    post(nestedLists(30_000)),
  ]),
  check('create.payload.errors', 'an `invalid-booking` lists at most 20 `errors`', async (service) => {
    const response = await service.post(`{"a":[${'1e400,'.repeat(60)}0]}`);
    expectProblem(response, 'invalid-booking');
    const { length } = pointersOf(response);
    expectThat(response, length >= 1 && length <= 20, '1 to 20 errors', `${length} errors`);
  }),
  check('create.payload.every-error', 'an `invalid-booking` lists errors of step 5 or of step 6', async (service) => {
    const rules = await service.post('{"booking_id":1,"b":1e400,"slot":{"resource_id":"","start":"x"}}');
    expectErrorsOf(rules, 'invalid-booking', ['#/b', '#/booking_id']);
    const slot = await service.create({ slot: { ...aSlot(aResource()), resource_id: '', start: 'x' } });
    expectErrorsOf(slot, 'invalid-booking', ['#/slot/resource_id', '#/slot/start']);
  }),
]);
