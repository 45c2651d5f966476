import { listBookingsQuerySchema } from '@booking-service/contracts';
import { Problem } from '../../src/http/problem.js';
import { readQuery } from '../../src/http/query.js';

function detailOf(query: string): string | undefined {
  try {
    readQuery(listBookingsQuerySchema, query);
    return undefined;
  } catch (error) {
    return (error as Problem).detail;
  }
}

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
});
