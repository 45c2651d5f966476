import { check, checksOf } from '../check.js';
import { expectThat } from '../expectations.js';
import { aFarHour, aResource, aSlot, at } from '../inventions.js';
import { idsOf, readPage } from '../reading.js';
import { rejectsPayloads, returns } from '../row.js';

const SLOT = '#/slot';
const RESOURCE = '#/slot/resource_id';

const inSlot = (slot: unknown): string => JSON.stringify({ slot });
const onResource = (resource_id: unknown): [string, string] => [inSlot({ ...aSlot(''), resource_id }), RESOURCE];

export const slot = checksOf('The slot', 'interface', [
  returns('slot.returned', 'a slot is returned with its three members', () => [{ slot: aSlot(aResource(), 9, 10.5) }]),
  check('slot.long', 'a slot may last for years, and lists of any moment of it have it', async (service) => {
    const hour = aFarHour();
    const { booking_id } = await service.book({ slot: aSlot(aResource(), hour - 9_000, hour + 9_000) });
    const response = await service.list({ from: at(hour), to: at(hour + 1), limit: 100 });
    expectThat(response, idsOf(readPage(response).bookings).includes(booking_id), `a list with ${booking_id}`);
  }),
  rejectsPayloads(
    'slot.members.required',
    'all three members of a slot are required',
    ['resource_id', 'start', 'end'].flatMap((name) => [
      [inSlot({ ...aSlot(aResource()), [name]: undefined }), SLOT],
      [inSlot({ ...aSlot(aResource()), [name]: null }), SLOT],
    ]),
  ),
  rejectsPayloads(
    'slot.members.closed',
    'no other member of a slot is allowed',
    ['note', 'resourceId', 'Start', ''].map((name) => [inSlot({ ...aSlot(aResource()), [name]: 1 }), SLOT]),
  ),
  rejectsPayloads(
    'slot.null',
    '`null` does not mean "no slot", and a slot is an object',
    [null, [], [aSlot(aResource())], 'room', 1, true, false].map((value) => [inSlot(value), SLOT]),
  ),
  rejectsPayloads('slot.resource-id.string', 'a `resource_id` is a string', [1, true, ['x'], {}].map(onResource)),
  returns('slot.resource-id.accepted', 'a `resource_id` may have 1 to 200 code points of any script', () => {
    const prefix = aResource();
    const long = prefix + '\u{1F6AA}'.repeat(200 - prefix.length);
    return [long, `${prefix}"\\/%00%2F#?&=+`, `${prefix}\u00a0\u2028\u200b`].map((name) => ({ slot: aSlot(name) }));
  }),
  rejectsPayloads(
    'slot.resource-id.length',
    'a `resource_id` has no less than 1 and no more than 200 code points',
    ['', 'x'.repeat(201), '\u{1F6AA}'.repeat(201)].map(onResource),
  ),
  rejectsPayloads(
    'slot.resource-id.control',
    'a `resource_id` has no control characters',
    ['room\n7', 'room 7\n', '\u0001', '\u001f', 'x\u007f', '\u0080', '\u009fx'].map(onResource),
  ),
  check(
    'slot.resource-id.exact',
    'resources are compared code point by code point: no trimming, no folding of case, no normalisation',
    async (service) => {
      const resource = aResource();
      for (const ending of ['é', 'e\u0301', 'É', 'é ', 'é\u200b', 'ﬁ', 'fi', 'ß', 'ss', '１', '1']) {
        await service.book({ slot: aSlot(resource + ending) });
      }
      await service.book({ slot: aSlot(` ${resource}é`) });
    },
  ),
]);
