import { listBookingsQuerySchema } from '@booking-service/contracts';
import { z } from 'zod';
import type { Problem } from '../../src/http/problem.js';
import { readQuery } from '../../src/http/query.js';

function problemOf(query: string): Problem | undefined {
  try {
    readQuery(listBookingsQuerySchema, query);
    return undefined;
  } catch (error) {
    return error as Problem;
  }
}

const detailOf = (query: string): string | undefined => problemOf(query)?.detail;

const INVALID = 'Some query parameters are invalid. See `errors`.';

describe('The problem of a query', () => {
  it('says what became of a `+` where that is the fault', () => {
    const advice = `${INVALID} A \`+\` is read as a space; write \`%2B\` for a plus sign.`;
    expect(detailOf('from=2026-01-01T00:00:00+02:00')).toBe(advice);
    expect(detailOf('limit=2&to=2026-01-01T00%3A00%3A00+02%3A00')).toBe(advice);
    expect(detailOf('from=2026-01-01T00:00:00%2B02:00')).toBeUndefined();
  });

  it.each(['from=2026-01-01T00:00:00%2002:00', 'resource_id=a+b&limit=0', 'limit=0'])(
    'does not where another thing is: %s',
    (query) => expect(detailOf(query)).toBe(INVALID),
  );

  it.each([
    ['repeated', (index: number) => `n${index}=&n${index}=`],
    ['unknown', (index: number) => `n${index}=`],
  ])('lists 20 of its faults: 50 %s parameters', (_, parameter) => {
    const query = Array.from({ length: 50 }, (_each, index) => parameter(index)).join('&');
    expect(problemOf(query)!.extras.errors).toHaveLength(20);
  });

  it('lists what is sent more than once', () => {
    expect(problemOf('limit=1&sort=start&limit=2')!.extras.errors).toEqual([
      { pointer: '#/limit', detail: 'is given more than once' },
    ]);
  });

  it.each(['limit=%', 'limit=%ff', 'limit=1 ', 'limit=\u00e9'])('says that it cannot be decoded: %s', (query) => {
    expect(detailOf(query)).toBe('The query is not percent-encoded UTF-8.');
  });
});

describe('readQuery', () => {
  it('reads every parameter, however many there are', () => {
    const query = Array.from({ length: 2_000 }, (_, index) => `n${index}=%C3%A9`).join('&');
    const read = readQuery(z.looseObject({}), query) as object;
    expect(Object.keys(read)).toHaveLength(2_000);
    expect(read).toMatchObject({ n1999: '\u00e9' });
  });
});
