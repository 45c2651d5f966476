import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { durationText, realLanguage } from '../src/texts.js';
import { isZone, Zone } from '../src/time.js';

const HOUR = 3_600_000;
const LATER = { disambiguation: 'later' } as const;
/** Zones whose clocks change at midnight, by half an hour, by a whole day, around Ramadan, or never. */
const ODD = ['Europe/Berlin', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Pacific/Apia', 'Africa/Casablanca', 'UTC'];
const names = fc.oneof(fc.constantFrom(...ODD), fc.constantFrom(...Intl.supportedValuesOf('timeZone')));
const zones = names.map((name) => new Zone(name));
const instants = fc.integer({ min: Date.UTC(1980), max: Date.UTC(2060) });
const expectEach = (check: (zone: Zone, instant: number) => void) =>
  fc.assert(fc.property(zones, instants, check), { numRuns: 400 });

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

  it('begins each day, even if midnight is skipped', () => {
    const expectStart = (zone: Zone, instant: number) => {
      const date = new Date(instant).toISOString().slice(0, 10);
      const start = Temporal.PlainDate.from(date).toZonedDateTime(zone.name).epochMilliseconds;
      expect(zone.startOf(date)).toBe(start);
    };
    expectEach(expectStart);
    expectStart(new Zone('America/Sao_Paulo'), Date.UTC(2018, 10, 4));
    expectStart(new Zone('Pacific/Apia'), Date.UTC(2011, 11, 30));
  });

  it('knows when its clock shows a time: never, once or twice', () => {
    expectEach((zone, instant) => {
      const local = Math.floor(instant / (HOUR / 4)) * (HOUR / 4);
      const plain = Temporal.PlainDateTime.from(new Date(local).toISOString().slice(0, 19));
      const earlier = plain.toZonedDateTime(zone.name);
      const later = plain.toZonedDateTime(zone.name, LATER);
      const real = [earlier, later]
        .filter((one) => one.toPlainDateTime().equals(plain))
        .map((one) => one.epochMilliseconds);
      expect(zone.instants(local)).toEqual([...new Set(real)]);
    });
  });
});

describe('In odd browsers', () => {
  it('a language without a locale is replaced by one that formats dates', () => {
    for (const name of ['C', 'en-US@posix', '', 'POSIX'])
      expect(() => new Intl.DateTimeFormat(realLanguage(name))).not.toThrow();
    expect(realLanguage('de-AT')).toBe('de-AT');
  });

  it('a zone without a clock is none', () => {
    expect(['Etc/Unknown', '', 'Mars/Base', 'UTC', 'Europe/Berlin'].filter(isZone)).toEqual(['UTC', 'Europe/Berlin']);
  });
});

it('a duration promises no minute that is not whole', () => {
  const texts = [HOUR + 59_999, HOUR - 1, 30_000, 25 * HOUR].map(durationText);
  expect(texts).toEqual(['1 h', '59 min', '30 s', '1 d 1 h']);
});
