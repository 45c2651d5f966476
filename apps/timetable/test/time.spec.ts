import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { offsetText, spanOf, Zone, zoneNames } from '../src/time.js';
import { realDate } from '../src/view.js';

const HOUR = 3_600_000;
/** Zones with every kind of change there is: at midnight, by half an hour, of a whole day, in Ramadan, none. */
const ODD = [
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'America/Sao_Paulo',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Antarctica/Troll',
  'UTC',
];
const zones = fc.oneof(fc.constantFrom(...ODD), fc.constantFrom(...zoneNames()));
const instants = fc.integer({ min: Date.UTC(1980), max: Date.UTC(2060) });
const dates = fc
  .integer({ min: 0, max: 80 * 365 })
  .map((day) => new Date(Date.UTC(1980) + day * 24 * HOUR).toISOString().slice(0, 10));
const RUNS = { numRuns: 400 };
const cache = new Map<string, Zone>();
const zoneOf = (name: string) => cache.get(name) ?? cache.set(name, new Zone(name)).get(name)!;

describe('A zone, against Temporal', () => {
  it('shows the clock of an instant', () => {
    fc.assert(
      fc.property(zones, instants, (name, instant) => {
        const there = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(name);
        expect(zoneOf(name).offset(instant)).toBe(there.offsetNanoseconds / 1e6);
        expect(zoneOf(name).date(instant)).toBe(there.toPlainDate().toString());
        expect(zoneOf(name).time(instant)).toBe(there.toPlainTime().toString().slice(0, 5));
      }),
      RUNS,
    );
  });

  it('begins its days, also those whose midnight is skipped', () => {
    fc.assert(
      fc.property(zones, dates, (name, date) => {
        const day = Temporal.PlainDate.from(date);
        expect(zoneOf(name).startOf(date)).toBe(day.toZonedDateTime(name).epochMilliseconds);
      }),
      RUNS,
    );
  });

  it('knows when its clock shows a time: never, once or twice', () => {
    fc.assert(
      fc.property(zones, dates, fc.integer({ min: 0, max: 95 }), (name, date, quarter) => {
        const local = Date.parse(date) + (quarter * HOUR) / 4;
        const plain = Temporal.PlainDateTime.from(new Date(local).toISOString().slice(0, 19));
        const [earlier, later] = (['earlier', 'later'] as const).map((disambiguation) =>
          plain.toZonedDateTime(name, { disambiguation }),
        );
        const real = [earlier!, later!]
          .filter((found) => found.toPlainDateTime().equals(plain))
          .map((found) => found.epochMilliseconds);
        expect(zoneOf(name).instants(local)).toEqual([...new Set(real)]);
      }),
      RUNS,
    );
  });

  it('reads every time that it writes', () => {
    fc.assert(
      fc.property(zones, instants, (name, instant) => {
        const minute = Math.floor(instant / 60_000) * 60_000;
        const zone = zoneOf(name);
        expect(zone.parse(zone.input(minute), offsetText(zone.offset(minute)))).toBe(minute);
      }),
      RUNS,
    );
  });

  it.each([
    ['2026-03-29T02:30', '', 'The clock skips this time: choose another one.'],
    ['2026-10-25T02:30', '', 'This time occurs twice: choose which one.'],
    ['2026-10-25T02:30', '+03:00', 'This time occurs twice: choose which one.'],
    ['', '', 'Enter a date and a time.'],
  ])('says what is wrong with %s %s', (text, offset, fault) => {
    expect(zoneOf('Europe/Berlin').parse(text, offset)).toBe(fault);
  });
});

describe('A span', () => {
  it.each([
    [1, '2026-10-19'],
    [6, '2026-10-24'],
    [7, '2026-10-25'],
  ])('of a week that begins on day %d has seven days from %s on, one of which has 25 hours', (firstDay, first) => {
    const berlin = { span: 'week', zone: 'Europe/Berlin', date: '2026-10-25' } as const;
    const { days, start, end } = spanOf(berlin, 0, firstDay);
    expect([days[0]!.date, days.length, (end - start) / HOUR]).toEqual([first, 7, 7 * 24 + 1]);
  });

  it.each(['2026-02-30', '2026-1-1', '1969-12-31', '9999-12-31', '', 'today'])('has no day %p', (text) => {
    expect(realDate(text)).toBeUndefined();
  });
});
