import { BookingsClient, type FreeSlot, type FreeSlotsOptions } from '../src/index.js';
import { json, ScriptedService } from './scripted-service.js';

const service = await ScriptedService.start();
const client = new BookingsClient({ baseUrl: service.baseUrl });

const at = (hour: string): string => `2026-12-01T${hour.padStart(5, '0')}:00.000Z`;

/** A slot written as `9:00-10:00`. */
function slotOf(hours: string): FreeSlot {
  const [start, end] = hours.split('-').map(at) as [string, string];
  return { start, end };
}

async function freeBetween(window: string, held: string[], options: FreeSlotsOptions = {}): Promise<string[]> {
  const pages = [held.slice(0, 1), held.slice(1)].map((hours, index) => {
    const bookings = hours.map((each) => ({ booking_id: each, slot: { resource_id: 'room-7', ...slotOf(each) } }));
    return json(200, { bookings, next_cursor: index === 0 ? 'c2' : null });
  });
  service.respondsWith(...pages);
  const { start: from, end: to } = slotOf(window);
  const found: string[] = [];
  for await (const { start, end } of client.freeSlots('room-7', { from, to: new Date(to) }, options))
    found.push([start, end].map((each) => each.slice(11, 16).replace(/^0/, '')).join('-'));
  return found;
}

it.each([
  ['the whole window without bookings', [], ['9:00-17:00']],
  [
    'the time before, between and after bookings',
    ['10:00-11:00', '12:00-13:00'],
    ['9:00-10:00', '11:00-12:00', '13:00-17:00'],
  ],
  ['no time between slots that touch', ['10:00-11:00', '11:00-12:00'], ['9:00-10:00', '12:00-17:00']],
  ['no time if all of it is booked', ['9:00-17:00'], []],
  ['the time after a booking that began before the window', ['8:00-10:00'], ['10:00-17:00']],
  ['the time before a booking that ends after the window', ['16:00-18:00'], ['9:00-16:00']],
  ['no time within a longer booking', ['8:00-18:00'], []],
  ['the whole window between bookings that touch it', ['8:00-9:00', '17:00-18:00'], ['9:00-17:00']],
])('Free is %s', async (_, held, free) => {
  expect(await freeBetween('9:00-17:00', held)).toEqual(free);
  const query = '/v1/bookings?resource_id=room-7&from=2026-12-01T09%3A00%3A00.000Z&to=2026-12-01T17%3A00%3A00.000Z';
  expect(service.requests.map(({ url }) => url)).toEqual([`${query}&limit=100`, `${query}&limit=100&cursor=c2`]);
});

it('A free slot lasts at least `atLeast`', async () => {
  const held = ['9:30-10:00', '11:00-16:00'];
  expect(await freeBetween('9:00-17:00', held, { atLeast: 3_600_000 })).toEqual(['10:00-11:00', '16:00-17:00']);
});

it.each([undefined, null, {}, { from: at('9:00') }])(
  'The window %j is a TypeError, and nothing is sent',
  async (window) => {
    service.respondsWith(json(200, { bookings: [], next_cursor: null }));
    const free = client.freeSlots('room-7', window as { from: string; to: string });
    await expect(free.next()).rejects.toThrow(
      new TypeError('freeSlots needs a window: freeSlots("room-7", { from, to })'),
    );
    expect(service.requests).toHaveLength(0);
  },
);

it.each([
  ['9:00-9:00', {}],
  ['17:00-9:00', {}],
  ['9:00-noon', {}],
  ['9:00-17:00', { atLeast: NaN }],
  ['9:00-17:00', { atLeast: -1 }],
])('The window %s with %j is a RangeError, and nothing is sent', async (window, options) => {
  await expect(freeBetween(window, [], options)).rejects.toThrow(RangeError);
  expect(service.requests).toHaveLength(0);
});
