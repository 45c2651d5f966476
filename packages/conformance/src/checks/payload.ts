import { check, checksOf } from '../check.js';
import { expectSame, expectThat } from '../expectations.js';
import { aResource, aSlot } from '../inventions.js';
import { expectProblem, pointersOf } from '../problems.js';
import { rejectsPayloads, returns, row } from '../row.js';
import { post } from '../service.js';

const nested = (levels: number): string => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);
const nestedLists = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

export const payload = checksOf('Creating', 'interface', [
  rejectsPayloads(
    'create.payload.set-by-service',
    'no `booking_id` and no `created_at`: the service sets them',
    ['booking_id', 'created_at'].flatMap((name) => [
      [`{"${name}":"01a1fbf1-f170-7874-aaaf-5a38b3e156b6"}`, `#/${name}`],
      [`{"${name}":null}`, `#/${name}`],
    ]),
  ),
  rejectsPayloads(
    'create.payload.near-miss',
    'no near miss of `booking_id`, `created_at` and `slot` at the top',
    ['Slot', 'SLOT', '_slot', 's.l-ot', 'slot ', 'bookingId', 'BookingID', 'booking-id', 'createdAt', 'created-at'].map(
      (name) => [JSON.stringify({ [name]: {} }), `#/${encodeURIComponent(name)}`],
    ),
  ),
  rejectsPayloads(
    'create.payload.plural',
    'no plural of `booking_id`, `created_at` and `slot` at the top, nor its near miss',
    ['slots', 'Slots', 'booking_ids', 'bookingIds', 'createdAts'].map((name) => [
      JSON.stringify({ [name]: [] }),
      `#/${name}`,
    ]),
  ),
  rejectsPayloads(
    'create.payload.unwrapped',
    'a payload without `slot` has not `resource_id` together with `start` or `end`: it would hold nothing',
    [
      JSON.stringify(aSlot(aResource())),
      JSON.stringify({ resource_id: 'room', start: '2026-12-01T09:00:00Z' }),
      JSON.stringify({ end: null, resource_id: 7, guest: 'Ada' }),
    ].map((json) => [json, '#/resource_id']),
  ),
  returns(
    'create.payload.unwrapped.free',
    'the names of the members of a slot are free otherwise: one without the other, and alongside a slot',
    () => {
      const { resource_id, start, end } = aSlot(aResource());
      return [{ resource_id }, { start, end }, { slot: aSlot(aResource()), resource_id, start, end }];
    },
  ),
  returns('create.payload.near-miss.free', 'names that only begin or end as a reserved one are free', () => [
    { slotted: 1, slotss: 2, time_slots: 3, my_slot: 4, booking: 5, created: 6 },
  ]),
  returns('create.payload.reserved-below', 'reserved names and their near misses are free below the top', () => [
    { guest: { slot: null, booking_id: 1, created_at: 'x', Slot: 2, bookingId: 3 } },
  ]),
  rejectsPayloads('create.payload.proto', 'no member named `__proto__`, at any depth', [
    ['{"__proto__":{}}', '#/__proto__'],
    ['{"a":[{"__proto__":1}]}', '#/a/0/__proto__'],
    ['{"a":{"__\\u0070roto__":1}}', '#/a/__proto__'],
  ]),
  rejectsPayloads('create.payload.surrogate', 'no lone surrogate, in a name or a string, at any depth', [
    ['{"a":"x\\ud800"}', '#/a'],
    ['{"a":{"b":["\\udc00x"]}}', '#/a/b/0'],
    ['{"a":"\\udc00\\ud800"}', '#/a'],
    ['{"a":{"\\ud800":1}}', '#/a'],
  ]),
  rejectsPayloads('create.payload.nul', 'no U+0000, in a name or a string, at any depth', [
    ['{"a":"\\u0000"}', '#/a'],
    ['{"a":[{"b":"x\\u0000y"}]}', '#/a/0/b'],
    ['{"a":{"b\\u0000":1}}', '#/a'],
  ]),
  rejectsPayloads(
    'create.payload.numbers',
    'no number beyond the range of a double, no whole number beyond ±9007199254740991',
    [
      ['{"a":1e400}', '#/a'],
      ['{"a":[0,-1e400]}', '#/a/1'],
      ['{"a":9007199254740992}', '#/a'],
      ['{"a":-9007199254740992}', '#/a'],
      ['{"a":{"b":1e21}}', '#/a/b'],
    ],
  ),
  row(
    'create.payload.levels.accepted',
    'a payload may have 32 levels of objects and arrays, the root counted',
    'success',
    [post(nested(32)), post(nestedLists(32))],
  ),
  row(
    'create.payload.levels.rejected',
    'a payload of more than 32 levels is 422, however many there are',
    'invalid-booking',
    [nested(33), nestedLists(33), nestedLists(30_000)].map((json) => post(json)),
  ),
  check('create.payload.errors', 'an invalid-booking lists `errors`, at most 20 of them', async (service) => {
    const response = await service.post(`{"a":[${'1e400,'.repeat(60)}0]}`);
    expectProblem(response, 'invalid-booking');
    const { length } = pointersOf(response);
    expectThat(response, length >= 1 && length <= 20, '1 to 20 errors', `${length} errors`);
  }),
  check(
    'create.payload.every-error',
    'an invalid-booking lists every fault, and none of the slot where a payload rule is broken',
    async (service) => {
      const rules = await service.post('{"booking_id":1,"b":1e400,"slot":{"resource_id":"","start":"x"}}');
      expectProblem(rules, 'invalid-booking');
      expectSame(rules, 'pointers', pointersOf(rules).toSorted(), ['#/b', '#/booking_id']);
      const slot = await service.create({ slot: { ...aSlot(aResource()), resource_id: '', start: 'x' } });
      expectProblem(slot, 'invalid-booking');
      expectSame(slot, 'pointers', pointersOf(slot).toSorted(), ['#/slot/resource_id', '#/slot/start']);
    },
  ),
]);
