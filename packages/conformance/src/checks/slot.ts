import { check, checksOf } from '../check.js';
import { expectThat } from '../expectations.js';
import { aFarHour, aResource, aSlot, at } from '../fixtures.js';
import { expectProblem } from '../problems.js';
import { idsOf, readPage } from '../reading.js';
import { rejectsPayloads, returns } from '../statements.js';

const RESOURCE = '#/slot/resource_id';

const inSlot = (slot: unknown): string => JSON.stringify({ slot });
const withMember = (name: string, value: unknown): string => inSlot({ ...aSlot(aResource()), [name]: value });
const onResource = (resource: unknown): string => withMember('resource_id', resource);

export const slot = checksOf('The slot', 'interface', [
  check('slot.long', 'a slot may last for years, and is in every window that it overlaps', async (service) => {
    const hour = aFarHour();
    const resource = aResource();
    // More than eleven years before and after the window.
    const { booking_id } = await service.book({ slot: aSlot(resource, hour - 100_000, hour + 100_000) });
    expectProblem(await service.create({ slot: aSlot(resource, hour) }), 'slot-taken');
    const response = await service.list({ from: at(hour), to: at(hour + 1), limit: 100 });
    expectThat(response, idsOf(readPage(response).bookings).includes(booking_id), `a list with ${booking_id}`);
  }),
  rejectsPayloads('slot.members.required', 'a slot has all three members', {
    '#/slot': ['resource_id', 'start', 'end'].flatMap((name) => [withMember(name, undefined), withMember(name, null)]),
  }),
  rejectsPayloads('slot.members.closed', 'a slot has no other member', {
    '#/slot': ['note', 'resourceId', 'Start', ''].map((name) => withMember(name, 1)),
  }),
  rejectsPayloads('slot.null', 'a slot is an object, and `null` is rejected', {
    '#/slot': [null, [], [aSlot(aResource())], 'room', 1, true, false].map(inSlot),
  }),
  rejectsPayloads('slot.resource-id.string', 'a `resource_id` is a string', {
    [RESOURCE]: [1, true, ['x'], {}].map(onResource),
  }),
  returns('slot.resource-id.accepted', 'a `resource_id` has 1 to 200 Unicode code points', () => {
    const prefix = aResource();
    const long = prefix + '\u{1F6AA}'.repeat(200 - prefix.length);
    return [long, `${prefix}"\\/%00%2F#?&=+`, `${prefix}\u00a0\u2028\u200b`].map((name) => ({ slot: aSlot(name) }));
  }),
  rejectsPayloads('slot.resource-id.length', 'a `resource_id` of 0 or 201 code points is rejected', {
    [RESOURCE]: ['', 'x'.repeat(201), '\u{1F6AA}'.repeat(201)].map(onResource),
  }),
  rejectsPayloads('slot.resource-id.control', 'a `resource_id` has no control characters', {
    [RESOURCE]: ['room\n7', 'room 7\n', '\u0001', '\u001f', 'x\u007f', '\u0080', '\u009fx'].map(onResource),
  }),
  check('slot.resource-id.exact', 'resources are compared code point by code point', async (service) => {
    const resource = aResource();
    for (const ending of ['é', 'e\u0301', 'É', 'é ', 'é\u200b', 'ﬁ', 'fi', 'ß', 'ss', '１', '1']) {
      await service.book({ slot: aSlot(resource + ending) });
    }
    await service.book({ slot: aSlot(` ${resource}é`) });
  }),
]);
