import { formatInstant, parseInstant } from '../src/index.js';

describe('an instant', () => {
  it('is milliseconds since 1970, and the text of a response in UTC', () => {
    const instant = parseInstant('1970-01-01T01:00:00.005+00:30');
    expect(instant).toBe(1_800_005);
    expect(formatInstant(instant!)).toBe('1970-01-01T00:30:00.005Z');
  });

  // Syntax, days and years are covered by the kit's `instant.*`.
  it.each(['', '2026-02-29T09:00:00Z', '2026-12-01T09:00:00\u221201:00'])('is not read from %j', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});
