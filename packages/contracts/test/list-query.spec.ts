import { listBookingsQuerySchema, validate } from '../src/index.js';

const read = (query: unknown) => validate(listBookingsQuerySchema, query);
const faults = (query: unknown) => {
  const result = read(query);
  return 'faults' in result ? result.faults : [];
};

describe('the query of the list', () => {
  it('may be empty: 20 bookings, the newest first', () => {
    expect(read({})).toEqual({ value: { limit: 20, sort: '-created_at' } });
  });

  it('may have every parameter at once', () => {
    const texts = {
      cursor: 'abc',
      resource_id: 'room 7',
      from: '2026-12-01T00:00:00Z',
      to: '2026-12-02T00:00:00+01:00',
    };
    expect(read({ ...texts, limit: '5', sort: 'start' })).toEqual({ value: { ...texts, limit: 5, sort: 'start' } });
  });

  it.each([
    ['1', 1],
    ['9', 9],
    ['10', 10],
    ['99', 99],
    ['100', 100],
  ])('takes the limit %s', (limit, expected) => {
    expect(read({ limit })).toEqual({ value: { limit: expected, sort: '-created_at' } });
  });

  it.each(['0', '00', '01', '101', '1000', '-1', '+1', '1.0', '1e1', '0x10', ' 1', '1 ', '1\n', '', 'ten', '٣', '９'])(
    'rejects the limit %j',
    (limit) => {
      expect(faults({ limit })).toEqual([{ pointer: '#/limit', detail: 'is not a whole number from 1 to 100' }]);
    },
  );

  it.each(['-created_at', 'created_at', 'start', '-start'])('takes the order %s', (sort) => {
    expect(read({ sort })).toEqual({ value: { limit: 20, sort } });
  });

  it.each(['', 'START', '+start', 'end', 'booking_id', 'start,created_at', '--start', 'toString'])(
    'rejects the order %j',
    (sort) => {
      expect(faults({ sort }).map(({ pointer }) => pointer)).toEqual(['#/sort']);
    },
  );

  it('rejects an empty cursor', () => {
    expect(faults({ cursor: '' })).toEqual([{ pointer: '#/cursor', detail: 'is empty' }]);
  });

  it.each(['', 'a\u0000b', 'x'.repeat(201), '\ud800'])(
    'holds resource_id to the rules of a slot: %j',
    (resource_id) => {
      expect(faults({ resource_id }).map(({ pointer }) => pointer)).toEqual(['#/resource_id']);
    },
  );

  it.each(['from', 'to'])('takes %s alone, which leaves the other side open', (name) => {
    const query = { [name]: '2026-12-01T09:00:00+01:00' };
    expect(read(query)).toEqual({ value: { limit: 20, sort: '-created_at', ...query } });
  });

  it.each(['from', 'to'])('holds %s to the syntax of an instant', (name) => {
    for (const text of ['', '2026-12-01', '2026-02-30T00:00:00Z', '2026-12-01T09:00:00 01:00', '1796115600000']) {
      expect(faults({ [name]: text }).map(({ pointer }) => pointer)).toEqual([`#/${name}`]);
    }
  });

  it.each(['2026-12-01T09:00:00Z', '2026-12-01T08:59:59Z', '2026-12-01T09:59:59+01:00'])(
    'rejects a window from 09:00 UTC to %s, which is empty',
    (to) => {
      expect(faults({ from: '2026-12-01T09:00:00Z', to })).toEqual([{ pointer: '#/to', detail: 'is not after from' }]);
    },
  );

  it.each(['limit', 'cursor', 'resource_id', 'from', 'to', 'sort'])('rejects %s given twice', (name) => {
    const value = { limit: '5', sort: 'start' }[name] ?? '2026-12-01T09:00:00Z';
    expect(faults({ [name]: value })).toEqual([]);
    expect(faults({ [name]: [value, value] }).map(({ pointer }) => pointer)).toEqual([`#/${name}`]);
  });

  it.each(['Limit', 'limit[]', 'resourceId', 'page', '', '__proto__', 'constructor'])(
    'rejects the unknown parameter %j, so that no filter is silently ignored',
    (name) => {
      const query: unknown = JSON.parse(`{${JSON.stringify(name)}:"x"}`);
      expect(faults(query)).toEqual([
        { pointer: `#/${encodeURIComponent(name)}`, detail: 'is not a parameter of this list' },
      ]);
    },
  );

  it('lists at most 20 faults', () => {
    const query = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, 'x']));
    expect(faults(query)).toHaveLength(20);
  });

  it('names every parameter that is at fault', () => {
    const query = { limit: '0', sort: 'x', from: 'y', colour: 'red' };
    expect(
      faults(query)
        .map(({ pointer }) => pointer)
        .toSorted(),
    ).toEqual(['#/colour', '#/from', '#/limit', '#/sort']);
  });
});
