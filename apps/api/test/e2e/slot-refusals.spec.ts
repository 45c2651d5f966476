import { type Api, api } from '../support/api.js';
import { aProblem, aResource, aSlot, at, pointersOf, refuseCreate } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
});
afterAll(() => running.close());

describe('A slot is refused, and leaves nothing behind,', () => {
  const refuseSlot = async (slot: unknown, ...pointers: string[]): Promise<void> => {
    const problem = await refuseCreate(service, JSON.stringify({ slot }), 422);
    expect(problem).toMatchObject(aProblem('invalid-booking'));
    expect(pointersOf(problem)).toEqual(pointers);
  };

  it.each([null, [], [aSlot('x')], 'room', 1, true, false])('if it is %j: it is not an object', async (slot) => {
    await refuseSlot(slot, '#/slot');
  });

  it.each(['resource_id', 'start', 'end'])('without %s', async (name) => {
    await refuseSlot({ ...aSlot(aResource()), [name]: undefined }, `#/slot/${name}`);
    await refuseSlot({ ...aSlot(aResource()), [name]: null }, `#/slot/${name}`);
  });

  it('with nothing in it', async () => {
    await refuseSlot({}, '#/slot/resource_id', '#/slot/start', '#/slot/end');
  });

  it.each(['note', 'resourceId', 'Start', 'booking_id', ''])('with another member: %j', async (name) => {
    await refuseSlot({ ...aSlot(aResource()), [name]: 1 }, `#/slot/${name}`);
  });

  it.each([
    ['nothing', ''],
    ['201 characters', 'x'.repeat(201)],
    ['201 code points beyond the basic plane', '\u{1F6AA}'.repeat(201)],
    ['a line feed', 'room\n7'],
    ['a line feed at its end', 'room 7\n'],
    ['the last of C0', '\u001f'],
    ['DEL', 'x\u007f'],
    ['the first of C1', '\u0080x'],
    ['the last of C1', '\u009f'],
    ['a number', 7],
    ['a list', ['room']],
  ])('if its resource is named with %s', async (_, resource_id) => {
    await refuseSlot({ ...aSlot('x'), resource_id }, '#/slot/resource_id');
  });

  it.each([
    ['a day', '2026-12-01'],
    ['no seconds', '2026-12-01T09:00Z'],
    ['a lower-case t', '2026-12-01t09:00:00Z'],
    ['a lower-case z', '2026-12-01T09:00:00z'],
    ['a space for T', '2026-12-01 09:00:00Z'],
    ['no offset', '2026-12-01T09:00:00'],
    ['an offset without a colon', '2026-12-01T09:00:00+0100'],
    ['an offset without minutes', '2026-12-01T09:00:00+01'],
    ['an offset of 24 hours', '2026-12-01T09:00:00+24:00'],
    ['an offset of 60 minutes', '2026-12-01T09:00:00+01:60'],
    ['four fraction digits', '2026-12-01T09:00:00.0000Z'],
    ['no fraction digit', '2026-12-01T09:00:00.Z'],
    ['a decimal comma', '2026-12-01T09:00:00,5Z'],
    ['30 February', '2026-02-30T09:00:00Z'],
    ['29 February of a common year', '2026-02-29T09:00:00Z'],
    ['29 February of a century', '1900-02-29T09:00:00Z'],
    ['31 April', '2026-04-31T09:00:00Z'],
    ['month 13', '2026-13-01T09:00:00Z'],
    ['month 0', '2026-00-01T09:00:00Z'],
    ['day 0', '2026-12-00T09:00:00Z'],
    ['24:00', '2026-12-01T24:00:00Z'],
    ['minute 60', '2026-12-01T09:60:00Z'],
    ['a leap second', '2026-12-31T23:59:60Z'],
    ['the year 0 in UTC', '0000-12-31T23:59:59.999Z'],
    ['the year 0 in UTC, after the offset', '0001-01-01T00:00:00+00:01'],
    ['the year 10000 in UTC, after the offset', '9999-12-31T23:59:59-00:01'],
    ['a year of five digits', '12026-12-01T09:00:00Z'],
    ['a signed year', '+002026-12-01T09:00:00Z'],
    ['a space before it', ' 2026-12-01T09:00:00Z'],
    ['a line feed after it', '2026-12-01T09:00:00Z\n'],
    ['digits that are not ASCII', '２０２６-12-01T09:00:00Z'],
    ['a number', 1_796_115_600_000],
    ['nothing', ''],
  ])('if it starts or ends at what is no instant: %s', async (_, instant) => {
    await refuseSlot({ ...aSlot(aResource()), start: instant }, '#/slot/start');
    await refuseSlot({ ...aSlot(aResource()), end: instant }, '#/slot/end');
  });

  it.each([
    ['at its start', at(9), at(9)],
    ['before its start', at(9), at(8)],
    ['at its start, in another offset', '2026-12-01T09:00:00Z', '2026-12-01T10:00:00+01:00'],
    ['before its start, though it reads as later', '2026-12-01T09:00:00Z', '2026-12-01T09:30:00+01:00'],
  ])('if it ends %s', async (_, start, end) => {
    await refuseSlot({ resource_id: aResource(), start, end }, '#/slot/end');
  });
});
