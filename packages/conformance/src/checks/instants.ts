import { check, checksOf } from '../check.js';
import { expectSame } from '../expectations.js';
import { aResource } from '../fixtures.js';
import { readBooking } from '../reading.js';
import { rejectsPayloads } from '../statements.js';

/** Instants as they are sent, and the form in which each is returned. */
const RETURNED_INSTANTS = {
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

const BAD_FORMS = [
  '2030-01-01',
  '2030-01-01 09:00:00Z',
  '2030-01-01t09:00:00Z',
  '2030-01-01T09:00:00z',
  '2030-01-01T09:00Z',
  '2030-1-1T09:00:00Z',
  '20300101T090000Z',
  '+002030-01-01T09:00:00Z',
  '12030-01-01T09:00:00Z',
  ' 2030-01-01T09:00:00Z',
  '2030-01-01T09:00:00Z\n',
  '２０３０-01-01T09:00:00Z',
  'now',
  '',
  1_893_488_400_000,
];
const BAD_FRACTIONS = ['.0001', '.0000000000', '.', ',5'].map((fraction) => `2030-01-01T09:00:00${fraction}Z`);
const BAD_OFFSETS = ['', '+0100', '+01', '+24:00', '-24:00', '+01:60'].map((offset) => `2030-01-01T09:00:00${offset}`);
const BAD_DAYS = ['02-29', '02-30', '04-31', '13-01', '00-01', '01-00', '01-32'].map((day) => `2030-${day}T09:00:00Z`);
const BAD_TIMES = ['23:59:60', '24:00:00', '09:60:00', '25:00:00'].map((time) => `2030-12-31T${time}Z`);
const BAD_YEARS = ['0000-12-31T23:59:59.999Z', '0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'];

const FIRST_INSTANT = '0001-01-01T00:00:00.000Z';
const LAST_INSTANT = '9999-12-31T23:59:59.999Z';

const inSlot = (start: unknown, end: unknown): string =>
  JSON.stringify({ slot: { resource_id: aResource(), start, end } });

/** Payloads with each instant as the start, and as the end, of the longest possible slot, by pointer of the error. */
const bounded = (instants: readonly unknown[]): Record<string, string[]> => ({
  '#/slot/start': instants.map((start) => inSlot(start, LAST_INSTANT)),
  '#/slot/end': instants.map((end) => inSlot(FIRST_INSTANT, end)),
});

export const instants = checksOf('The slot', 'interface', [
  check('instant.returned', 'responses have an instant in UTC, as YYYY-MM-DDTHH:mm:ss.sssZ', async (service) => {
    for (const [start, returned] of Object.entries(RETURNED_INSTANTS)) {
      // A longer slot could overlap the windows of other checks.
      const end = new Date(Date.parse(returned) + 1).toISOString();
      const slot = { resource_id: aResource(), start, end };
      const response = await service.create({ slot });
      expectSame(response, 'slot', readBooking(response).slot, { ...slot, start: returned });
    }
  }),
  rejectsPayloads('instant.form', 'an instant is an RFC 3339 date-time with upper-case T and Z', bounded(BAD_FORMS)),
  rejectsPayloads('instant.fraction', 'an instant has zeros after its third fraction digit', bounded(BAD_FRACTIONS)),
  rejectsPayloads('instant.offset', 'an instant has an offset up to 23:59', bounded(BAD_OFFSETS)),
  rejectsPayloads('instant.day', 'an instant has an existing day', bounded(['1900-02-29T09:00:00Z', ...BAD_DAYS])),
  rejectsPayloads('instant.clock', 'an instant has no second 60 and no hour 24', bounded(BAD_TIMES)),
  rejectsPayloads('instant.year', 'an instant lies in the years 0001 to 9999 in UTC', bounded(BAD_YEARS)),
  rejectsPayloads('instant.order', '`start` is before `end`', {
    '#/slot': ['09:00:00Z', '08:00:00Z', '10:00:00+01:00', '09:30:00+01:00'].map((end) =>
      inSlot('2030-01-01T09:00:00Z', `2030-01-01T${end}`),
    ),
  }),
]);
