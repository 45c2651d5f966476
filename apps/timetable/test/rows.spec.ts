import type { View } from '../src/address.js';
import { Bookings } from '../src/bookings.js';
import { moment } from '../src/clock.js';
import { isHit, itemsOf, rowsOf } from '../src/rows.js';
import { spanOf } from '../src/time.js';

const DATE = '2099-06-01';
const HOUR = 3_600_000;
const NONE: View = { date: DATE, span: 'day', as: '', zone: 'UTC', filter: '', free: '', at: '', panel: undefined };
const span = spanOf(NONE, Date.now());
const [day] = span.days;

/** A day that has been read, with a booking of each resource: at which hours, and who has booked. */
function readDay(booked: Record<string, [from: number, to: number, name: string]>): Bookings {
  const bookings = new Bookings();
  bookings.show(span);
  bookings.polledAt = moment();
  const held = Object.entries(booked).map(([resource, [from, to, name]], index) => {
    const [start, end] = [from, to].map((hour) => new Date(span.start + hour * HOUR).toISOString());
    const slot = { resource_id: resource, start: start!, end: end! };
    return { booking_id: `id-${index}`, created_at: start!, slot, guest: { name } };
  });
  bookings.add(held);
  bookings.endRound();
  return bookings;
}

const rooms = readDay({
  'Floor 10/Room 2': [9, 10, 'Zoë'],
  'Floor 2/Room 10': [8, 17, 'Ada Lovelace'],
  'Floor 2/Room 9': [12, 13, 'Grace Hopper'],
  Hall: [10, 11, 'Ada Byron'],
});
const keys = (view: Partial<View>) => rowsOf(rooms, span, { ...NONE, ...view }).map(({ key }) => key);

describe('The rows of a view', () => {
  it('are in the order of their names, with those of a group below its heading', () => {
    const floor2 = ['\nFloor 2', 'Floor 2/Room 9', 'Floor 2/Room 10'];
    expect(keys({})).toEqual(['Hall', ...floor2, '\nFloor 10', 'Floor 10/Room 2']);
  });

  it.each([
    ['zoe', ['\nFloor 10', 'Floor 10/Room 2']],
    ['ADA', ['Hall', '\nFloor 2', 'Floor 2/Room 10']],
    ['ada floor', ['\nFloor 2', 'Floor 2/Room 10']],
    ['floor 2/', ['\nFloor 2', 'Floor 2/Room 9', 'Floor 2/Room 10']],
    ['nobody', []],
  ])('with the search %j are those whose name or bookings have all words', (filter, found) => {
    expect(keys({ filter })).toEqual(found);
  });

  it.each([
    [{ free: '600' }, false],
    [{ free: '420' }, true],
    [{ free: '60', at: '14:00' }, false],
    [{ free: '60', at: '17:00' }, true],
  ])('with the search %j are those that are free then', (view, isFree) => {
    expect(keys(view).includes('Floor 2/Room 10')).toBe(isFree);
    expect(keys(view)).toContain('Hall');
  });
});

it('a booking is a hit by its own texts, not by the name of its resource', () => {
  const [booked] = rooms.ofResource('Floor 2/Room 10');
  const hits = ['lovelace', 'room lovelace', 'room'].map((filter) => isHit(booked, { ...NONE, filter }));
  expect(hits).toEqual([true, true, false]);
});

it('an agenda lists bookings by time or, in a search for free time, what is free', () => {
  const resources = rooms.resources;
  const starts = (view: Partial<View>) =>
    itemsOf(rooms, resources, day!, span.zone, { ...NONE, ...view }).map(({ resource, start }) => {
      return `${(start - span.start) / HOUR} ${resource}`;
    });
  expect(starts({})).toEqual(['8 Floor 2/Room 10', '9 Floor 10/Room 2', '10 Hall', '12 Floor 2/Room 9']);
  expect(starts({ free: '60', at: '12:00' })).toEqual(['12 Floor 10/Room 2', '12 Hall']);
});
