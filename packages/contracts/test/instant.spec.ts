import { formatInstant, parseInstant } from '../src/index.js';

describe('an instant', () => {
  it.each([
    ['in UTC', '2026-12-01T09:00:00Z', '2026-12-01T09:00:00.000Z'],
    ['with an offset east of Greenwich', '2026-12-01T09:00:00+09:00', '2026-12-01T00:00:00.000Z'],
    ['with an offset west of Greenwich', '2026-11-30T20:30:00-05:30', '2026-12-01T02:00:00.000Z'],
    ['with the unknown offset of RFC 3339', '2026-12-01T09:00:00-00:00', '2026-12-01T09:00:00.000Z'],
    ['with the widest offset', '2026-12-01T23:59:00+23:59', '2026-12-01T00:00:00.000Z'],
    ['with one fraction digit', '2026-12-01T09:00:00.5Z', '2026-12-01T09:00:00.500Z'],
    ['with two fraction digits', '2026-12-01T09:00:00.05Z', '2026-12-01T09:00:00.050Z'],
    ['with three fraction digits', '2026-12-01T09:00:00.005Z', '2026-12-01T09:00:00.005Z'],
    ['with seven fraction digits, as .NET writes them', '2026-12-01T09:00:00.1230000Z', '2026-12-01T09:00:00.123Z'],
    ['with nine fraction digits', '2026-12-01T09:00:00.500000000Z', '2026-12-01T09:00:00.500Z'],
    ['on a leap day', '2028-02-29T12:00:00Z', '2028-02-29T12:00:00.000Z'],
    ['on the leap day of a century that has one', '2000-02-29T12:00:00Z', '2000-02-29T12:00:00.000Z'],
    ['on the last day of a long month', '2026-10-31T12:00:00Z', '2026-10-31T12:00:00.000Z'],
    ['before 1970', '1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
    ['in a year below 100', '0026-12-01T09:00:00Z', '0026-12-01T09:00:00.000Z'],
    ['at the first instant of all', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['at the last instant of all', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['of the local year 0 that is year 1 in UTC', '0000-12-31T23:30:00-01:00', '0001-01-01T00:30:00.000Z'],
  ])('is read %s', (_, text, inUtc) => {
    expect(formatInstant(parseInstant(text)!)).toBe(inUtc);
  });

  it.each([
    ['no text', ''],
    ['a date alone', '2026-12-01'],
    ['no offset', '2026-12-01T09:00:00'],
    ['no seconds', '2026-12-01T09:00Z'],
    ['a lower-case t', '2026-12-01t09:00:00Z'],
    ['a lower-case z', '2026-12-01T09:00:00z'],
    ['a space for the T', '2026-12-01 09:00:00Z'],
    ['white space before', ' 2026-12-01T09:00:00Z'],
    ['a line break after', '2026-12-01T09:00:00Z\n'],
    ['a digit after the milliseconds', '2026-12-01T09:00:00.0001Z'],
    ['a tenth fraction digit', '2026-12-01T09:00:00.0000000000Z'],
    ['a point without digits', '2026-12-01T09:00:00.Z'],
    ['a comma for the point', '2026-12-01T09:00:00,5Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['24:00', '2026-12-01T24:00:00Z'],
    ['minute 60', '2026-12-01T09:60:00Z'],
    ['month 0', '2026-00-01T09:00:00Z'],
    ['month 13', '2026-13-01T09:00:00Z'],
    ['day 0', '2026-12-00T09:00:00Z'],
    ['30 February', '2028-02-30T09:00:00Z'],
    ['29 February of a common year', '2026-02-29T09:00:00Z'],
    ['29 February of a century without a leap day', '1900-02-29T09:00:00Z'],
    ['31 April', '2026-04-31T09:00:00Z'],
    ['32 December', '2026-12-32T09:00:00Z'],
    ['an offset of 24 hours', '2026-12-01T09:00:00+24:00'],
    ['an offset of 60 minutes', '2026-12-01T09:00:00+01:60'],
    ['an offset without a colon', '2026-12-01T09:00:00+0100'],
    ['an offset of hours alone', '2026-12-01T09:00:00+01'],
    ['a minus sign that is not ASCII', '2026-12-01T09:00:00\u221201:00'],
    ['digits that are not ASCII', '２０２６-12-01T09:00:00Z'],
    ['a signed year', '+002026-12-01T09:00:00Z'],
    ['the millisecond before the first, by its offset', '0001-01-01T00:59:59.999+01:00'],
    ['the year 10000 in UTC, by its offset', '9999-12-31T23:30:00-01:00'],
    ['basic format', '20261201T090000Z'],
  ])('is not read from %s', (_, text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});
