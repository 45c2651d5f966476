import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { spanOf, Zone, zoneNames } from '../src/time.js';

const HOUR = 3_600_000;
/** Zones that change at midnight, by half an hour, by a whole day, in Ramadan, never. */
const ODD = ['Europe/Berlin', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Pacific/Apia', 'Africa/Casablanca', 'UTC'];
const zones = new Map(zoneNames().map((name) => [name, new Zone(name)]));
const names = fc.oneof(fc.constantFrom(...ODD), fc.constantFrom(...zones.keys()));
const instants = fc.integer({ min: Date.UTC(1980), max: Date.UTC(2060) });
const expectEach = (check: (zone: Zone, instant: number) => void) =>
  fc.assert(
    fc.property(names, instants, (name, instant) => check(zones.get(name)!, instant)),
    { numRuns: 400 },
  );

describe('A zone, against Temporal', () => {
  it('shows the clock of an instant, and reads every time that it writes', () => {
    expectEach((zone, instant) => {
      const there = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone.name);
      const minute = Math.floor(instant / 60_000) * 60_000;
      expect(zone.offset(instant)).toBe(there.offsetNanoseconds / 1e6);
      expect(zone.input(instant)).toBe(there.toPlainDateTime().toString().slice(0, 16));
      expect(zone.parse(zone.input(minute))).toContain(minute);
    });
  });

  it('begins its days, also those whose midnight is skipped', () => {
    expectEach((zone, instant) => {
      const date = new Date(instant).toISOString().slice(0, 10);
      const start = Temporal.PlainDate.from(date).toZonedDateTime(zone.name).epochMilliseconds;
      expect(zone.startOf(date)).toBe(start);
    });
  });

  it('knows when its clock shows a time: never, once or twice', () => {
    expectEach((zone, instant) => {
      const local = Math.floor(instant / (HOUR / 4)) * (HOUR / 4);
      const plain = Temporal.PlainDateTime.from(new Date(local).toISOString().slice(0, 19));
      const found = (['earlier', 'later'] as const).map((which) =>
        plain.toZonedDateTime(zone.name, { disambiguation: which }),
      );
      const real = found.filter((one) => one.toPlainDateTime().equals(plain)).map((one) => one.epochMilliseconds);
      expect(zone.instants(local)).toEqual([...new Set(real)]);
    });
  });
});

it.each([
  [1, '2026-10-19'],
  [6, '2026-10-24'],
  [7, '2026-10-25'],
])('a week that begins on day %d has seven days from %s on, one of which has 25 hours', (firstDay, first) => {
  const berlin = { span: 'week', zone: 'Europe/Berlin', date: '2026-10-25' };
  const { days, start, end } = spanOf(berlin, 0, firstDay);
  expect([days[0]!.date, days.length, (end - start) / HOUR]).toEqual([first, 7, 7 * 24 + 1]);
});
