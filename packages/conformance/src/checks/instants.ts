import { check, checksOf } from '../check.js';
import { expectSame } from '../expectations.js';
import { aResource } from '../inventions.js';
import { readBooking } from '../reading.js';
import { rejectsPayloads } from '../row.js';

/** What an instant may look like, and how it is returned. */
const TAKEN = {
  '2030-01-01T09:00:00Z': '2030-01-01T09:00:00.000Z',
  '2030-01-01T09:00:00.5Z': '2030-01-01T09:00:00.500Z',
  '2030-01-01T09:00:00.05Z': '2030-01-01T09:00:00.050Z',
  '2030-01-01T09:00:00.005Z': '2030-01-01T09:00:00.005Z',
  '2030-01-01T09:00:00.0000000Z': '2030-01-01T09:00:00.000Z',
  '2030-01-01T09:00:00.123000000+00:00': '2030-01-01T09:00:00.123Z',
  '2030-01-01T09:00:00+05:30': '2030-01-01T03:30:00.000Z',
  '2030-01-01T09:00:00-00:00': '2030-01-01T09:00:00.000Z',
  '2030-01-01T00:00:00-23:59': '2030-01-01T23:59:00.000Z',
  '2030-01-02T00:00:00+23:59': '2030-01-01T00:01:00.000Z',
  '2030-12-31T23:59:59.999-01:00': '2031-01-01T00:59:59.999Z',
  '2028-02-29T12:00:00Z': '2028-02-29T12:00:00.000Z',
  '2000-02-29T12:00:00Z': '2000-02-29T12:00:00.000Z',
  '0099-06-01T00:00:00Z': '0099-06-01T00:00:00.000Z',
  '0001-01-01T00:00:00Z': '0001-01-01T00:00:00.000Z',
  '0000-12-31T23:00:00-01:00': '0001-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.998Z': '9999-12-31T23:59:59.998Z',
};

const NO_DAYS_OF_2030 = ['02-29', '02-30', '04-31', '13-01', '00-01', '01-00', '01-32'];

const FIRST_INSTANT = '0001-01-01T00:00:00.000Z';
const LAST_INSTANT = '9999-12-31T23:59:59.999Z';

/** Each as the start and as the end of a slot that is as long as it can be. */
const rejected = (...instants: unknown[]): [string, string][] =>
  instants.flatMap((instant) => [
    [JSON.stringify({ slot: { resource_id: aResource(), start: instant, end: LAST_INSTANT } }), '#/slot/start'],
    [JSON.stringify({ slot: { resource_id: aResource(), start: FIRST_INSTANT, end: instant } }), '#/slot/end'],
  ]);

export const instants = checksOf('The slot', 'interface', [
  check('instant.returned', 'an instant is returned in UTC as YYYY-MM-DDTHH:mm:ss.sssZ', async (service) => {
    for (const [start, returned] of Object.entries(TAKEN)) {
      // Not longer: it would be in every window of the list.
      const end = new Date(Date.parse(returned) + 1).toISOString();
      const slot = { resource_id: aResource(), start, end };
      const response = await service.create({ slot });
      expectSame(response, 'slot', readBooking(response).slot, { ...slot, start: returned });
    }
  }),
  rejectsPayloads(
    'instant.form',
    'an instant has the form of an RFC 3339 date-time, with upper-case T and Z',
    rejected(
      '2030-01-01',
      '2030-01-01 09:00:00Z',
      '2030-01-01t09:00:00Z',
      '2030-01-01T09:00:00z',
      '2030-01-01T09:00Z',
      '2030-1-1T09:00:00Z',
      '20300101T090000Z',
      '+002030-01-01T09:00:00Z',
      ' 2030-01-01T09:00:00Z',
      '2030-01-01T09:00:00Z\n',
      '２０３０-01-01T09:00:00Z',
      'now',
      '',
      1_893_488_400_000,
    ),
  ),
  rejectsPayloads(
    'instant.fraction',
    'an instant has no fraction, or one to nine digits, zeros after the third',
    rejected(
      '2030-01-01T09:00:00.0001Z',
      '2030-01-01T09:00:00.0000000001Z',
      '2030-01-01T09:00:00.Z',
      '2030-01-01T09:00:00,5Z',
    ),
  ),
  rejectsPayloads(
    'instant.offset',
    'an instant has an offset: Z, +hh:mm or -hh:mm, up to 23:59',
    rejected(...['', '+0100', '+01', '+24:00', '-24:00', '+01:60'].map((offset) => `2030-01-01T09:00:00${offset}`)),
  ),
  rejectsPayloads(
    'instant.day',
    'an instant is on a day that the calendar has',
    rejected('1900-02-29T09:00:00Z', ...NO_DAYS_OF_2030.map((day) => `2030-${day}T09:00:00Z`)),
  ),
  rejectsPayloads(
    'instant.clock',
    'an instant has no second 60, no hour 24',
    rejected('2016-12-31T23:59:60Z', '2030-01-01T24:00:00Z', '2030-01-01T09:60:00Z', '2030-01-01T25:00:00Z'),
  ),
  rejectsPayloads(
    'instant.year',
    'an instant lies in the years 0001 to 9999 in UTC',
    rejected(
      '0000-12-31T23:59:59.999Z',
      '0001-01-01T00:00:00+00:01',
      '9999-12-31T23:59:59-00:01',
      '12030-01-01T09:00:00Z',
    ),
  ),
  rejectsPayloads(
    'instant.order',
    '`start` is before `end`',
    [
      ['2030-01-01T09:00:00Z', '2030-01-01T09:00:00Z'],
      ['2030-01-01T09:00:00Z', '2030-01-01T08:00:00Z'],
      ['2030-01-01T09:00:00Z', '2030-01-01T10:00:00+01:00'],
      ['2030-01-01T09:00:00Z', '2030-01-01T09:30:00+01:00'],
    ].map(([start, end]) => [JSON.stringify({ slot: { resource_id: aResource(), start, end } }), '#/slot']),
  ),
]);
