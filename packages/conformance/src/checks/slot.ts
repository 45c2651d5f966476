import { checksOf } from '../check.js';
import { expectSame } from '../expectations.js';
import { aResource, aSlot } from '../inventions.js';
import { readBooking } from '../reading.js';
import { rejectsPayloads } from './rejections.js';

const SLOT = '#/slot';
const RESOURCE = '#/slot/resource_id';

const inSlot = (slot: unknown): string => JSON.stringify({ slot });
const onResource = (resource_id: unknown): [string, string] => [inSlot({ ...aSlot(''), resource_id }), RESOURCE];

export const slot = checksOf('The slot', 'interface', [
  {
    id: 'slot.returned',
    title: 'a slot is returned with its three members',
    writes: true,
    run: async (service) => {
      const held = aSlot(aResource(), 9, 10.5);
      const response = await service.create({ slot: held });
      expectSame(response, 'slot', readBooking(response).slot, held);
    },
  },
  rejectsPayloads(
    { id: 'slot.members.required', title: 'all three members of a slot are required' },
    ['resource_id', 'start', 'end'].flatMap((name) => [
      [inSlot({ ...aSlot(aResource()), [name]: undefined }), SLOT],
      [inSlot({ ...aSlot(aResource()), [name]: null }), SLOT],
    ]),
  ),
  rejectsPayloads(
    { id: 'slot.members.closed', title: 'no other member of a slot is allowed' },
    ['note', 'resourceId', 'Start', ''].map((name) => [inSlot({ ...aSlot(aResource()), [name]: 1 }), SLOT]),
  ),
  rejectsPayloads(
    { id: 'slot.null', title: '`null` does not mean "no slot", and a slot is an object' },
    [null, [], [aSlot(aResource())], 'room', 1, true, false].map((value) => [inSlot(value), SLOT]),
  ),
  rejectsPayloads(
    { id: 'slot.resource-id.string', title: 'a `resource_id` is a string' },
    [1, true, ['x'], {}].map(onResource),
  ),
  {
    id: 'slot.resource-id.accepted',
    title: 'a `resource_id` may have 1 to 200 code points of any script',
    writes: true,
    run: async (service) => {
      const prefix = aResource();
      const long = prefix + '\u{1F6AA}'.repeat(200 - prefix.length);
      for (const name of [long, `${prefix}"\\/%00%2F#?&=+`, `${prefix}\u00a0\u2028\u200b`]) {
        const response = await service.create({ slot: aSlot(name) });
        expectSame(response, 'resource_id', readBooking(response).slot?.resource_id, name);
      }
    },
  },
  rejectsPayloads(
    { id: 'slot.resource-id.length', title: 'a `resource_id` has no less than 1 and no more than 200 code points' },
    ['', 'x'.repeat(201), '\u{1F6AA}'.repeat(201)].map(onResource),
  ),
  rejectsPayloads(
    { id: 'slot.resource-id.control', title: 'a `resource_id` has no control characters' },
    ['room\n7', 'room 7\n', '\u0001', '\u001f', 'x\u007f', '\u0080', '\u009fx'].map(onResource),
  ),
  {
    id: 'slot.resource-id.exact',
    title: 'resources are compared code point by code point: no trimming, no folding of case, no normalisation',
    writes: true,
    run: async (service) => {
      const resource = aResource();
      for (const ending of ['é', 'e\u0301', 'É', 'é ', 'é\u200b', 'ﬁ', 'fi', 'ß', 'ss', '１', '1']) {
        readBooking(await service.create({ slot: aSlot(resource + ending) }));
      }
      readBooking(await service.create({ slot: aSlot(` ${resource}é`) }));
    },
  },
]);
