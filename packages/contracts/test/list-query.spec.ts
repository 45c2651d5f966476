import { listBookingsQuerySchema, sortOrders, validate } from '../src/index.js';
import { errorsOf } from './faults.js';

const faults = (query: unknown) => errorsOf(listBookingsQuerySchema, query);

const instant = '2026-12-01T09:00:00Z';
const whole = { cursor: 'abc', resource_id: 'room 7', from: instant, to: '2026-12-02T00:00:00+01:00' };

describe('the query of the list', () => {
  it.each<[string, object, object]>([
    ['nothing: 20 bookings', {}, { limit: 20 }],
    ['a window', { ...whole, limit: '5' }, { ...whole, limit: 5 }],
    [
      'an order',
      { resource_id: 'room 7', sort: 'created_at' },
      { resource_id: 'room 7', limit: 20, sort: 'created_at' },
    ],
    ['from alone', { from: instant }, { limit: 20, from: instant }],
    ['to alone', { to: instant }, { limit: 20, to: instant }],
  ])('may have %s', (_, query, value) => {
    expect(validate(listBookingsQuerySchema, query)).toEqual({ value });
  });

  it.each(['1', '9', '10', '99', '100'])('takes the limit %s', (limit) => {
    expect(listBookingsQuerySchema.parse({ limit }).limit).toBe(Number(limit));
  });

  it.each(['0', '00', '01', '101', '1000', '-1', '+1', '1.0', '1e1', '0x10', ' 1', '1 ', '1\n', '', 'ten', '٣', '９'])(
    'rejects the limit %j',
    (limit) => {
      expect(faults({ limit })).toEqual([{ pointer: '#/limit', detail: 'is not a whole number from 1 to 100' }]);
    },
  );

  it('takes two orders', () => {
    expect(sortOrders).toEqual(['-created_at', 'created_at']);
    expect(sortOrders.flatMap((sort) => faults({ sort }))).toEqual([]);
  });

  it.each([
    ...['', 'CREATED_AT', '+created_at', 'start', '-start', '--created_at', 'toString'].map((sort) => ({ sort })),
    ...sortOrders.flatMap((sort) => [
      { sort, from: instant },
      { sort, to: instant },
    ]),
    ...['', 'a\u0000b', 'x'.repeat(201), '\ud800'].map((resource_id) => ({ resource_id })),
    ...['', '2026-12-01', '2026-02-30T00:00:00Z', '2026-12-01T09:00:00 01:00'].map((from) => ({ from })),
    { to: '2026-02-30T00:00:00Z' },
    { cursor: '' },
  ])('rejects %j', (query) => {
    expect(faults(query).map(({ pointer }) => pointer)).toEqual([`#/${Object.keys(query)[0]}`]);
  });

  it.each(['2026-12-01T09:00:00Z', '2026-12-01T08:59:59Z', '2026-12-01T09:59:59+01:00'])(
    'rejects a window from 09:00 UTC to %s, which is empty',
    (to) => {
      expect(faults({ from: instant, to })).toEqual([{ pointer: '#/to', detail: 'is not after from' }]);
    },
  );

  it.each(['limit', 'cursor', 'resource_id', 'from', 'to', 'sort'])('rejects %s given twice', (name) => {
    const value = { limit: '5', sort: 'created_at' }[name] ?? instant;
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

  it('names every parameter that is at fault, at most 20', () => {
    const pointers = faults({ limit: '0', sort: 'x', from: 'y', colour: 'red' }).map(({ pointer }) => pointer);
    expect(pointers.toSorted()).toEqual(['#/colour', '#/from', '#/limit', '#/sort']);
    expect(faults(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, 'x'])))).toHaveLength(20);
  });
});
