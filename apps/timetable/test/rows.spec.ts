import { cellsOf, NONE, type Row, rowsOf, wantedOf } from '../src/rows.js';
import { Schedule } from '../src/schedule.js';
import { spanOf } from '../src/span.js';

const span = spanOf({ date: '2026-12-01', span: 'day', zone: 'UTC' }, 0);
const VIEW = {
  date: '2026-12-01',
  span: 'day',
  zone: 'UTC',
  filter: '',
  free: 0,
  at: undefined,
} as const;
const at = (time: string) => Date.parse(`2026-12-01T${time}:00Z`);

const schedule = new Schedule();
schedule.show(span);
schedule.markRead(span.end);
schedule.addResources(['b/2', 'b/10', 'a/1', 'lobby']);
schedule.add(
  [
    ['b/2', '10:00', '11:00', 'María'],
    ['a/1', '14:30', '15:00', 'Björn'],
  ].map(([resource, start, end, title]) => ({
    booking_id: resource!,
    created_at: '2026-11-01T00:00:00Z',
    title,
    slot: { resource_id: resource!, start: `2026-12-01T${start}:00Z`, end: `2026-12-01T${end}:00Z` },
  })),
);
const named = (rows: readonly Row[]) =>
  rows.map((row) => (row.group === undefined ? `${row.resource}${row.isTaken ? ' taken' : ''}` : `[${row.group}]`));

describe('Rows', () => {
  it('are grouped by prefix, in the order of names and numbers; a collapsed group is its heading', () => {
    expect(named(rowsOf(schedule, span, VIEW, NONE, new Set()))).toEqual(['lobby', '[a]', 'a/1', '[b]', 'b/2', 'b/10']);
    expect(named(rowsOf(schedule, span, VIEW, NONE, new Set(['b'])))).toEqual(['lobby', '[a]', 'a/1', '[b]']);
  });

  it.each([
    ['maria', ['[b]', 'b/2']],
    ['BJORN', ['[a]', 'a/1']],
    ['b 10', ['[b]', 'b/10']],
    ['LÓBBY', ['lobby']],
    ['nobody', []],
  ])('are found by a name or by what a booking says, without accents: %s', (filter, expected) => {
    // A search opens groups.
    expect(named(rowsOf(schedule, span, { ...VIEW, filter }, NONE, new Set(['b'])))).toEqual(expected);
  });

  it('that are free for a while have that time from now on', () => {
    const resources = ['lobby', '[a]', 'a/1', '[b]', 'b/2', 'b/10'];
    expect(named(rowsOf(schedule, span, VIEW, wantedOf(span, { ...VIEW, free: 240 }, 0), new Set()))).toEqual(
      resources,
    );
    const late = wantedOf(span, { ...VIEW, free: 600 }, at('10:31'));
    expect(named(rowsOf(schedule, span, VIEW, late, new Set()))).toEqual(['lobby', '[b]', 'b/2', 'b/10']);
    expect(cellsOf(schedule, 'b/10', span, late).map(({ start }) => start)).toEqual([span.start, at('10:31')]);
  });

  it('that are free at a time come first, with just that time to be booked', () => {
    const wanted = wantedOf(span, { ...VIEW, free: 60, at: '14:00' }, 0);
    const rows = rowsOf(schedule, span, VIEW, wanted, new Set());
    expect(named(rows)).toEqual(['b/2', 'b/10', 'lobby', 'a/1 taken']);
    expect(cellsOf(schedule, 'b/2', span, wanted).map(({ start, end }) => [start, end])).toEqual([
      [at('00:00'), at('10:00')],
      [at('10:00'), at('11:00')],
      [at('11:00'), at('14:00')],
      [at('14:00'), at('15:00')],
      [at('15:00'), span.end],
    ]);
    expect(cellsOf(schedule, 'a/1', span, wanted)).toHaveLength(3);
  });

  it('whose time was not read are free at no time', () => {
    const unread = new Schedule();
    unread.addResources(['lobby']);
    const wanted = wantedOf(span, { ...VIEW, free: 60, at: '14:00' }, 0);
    expect(named(rowsOf(unread, span, VIEW, wanted, new Set()))).toEqual(['lobby taken']);
  });
});
