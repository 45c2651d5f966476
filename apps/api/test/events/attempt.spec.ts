import { outcomeOf } from '../../src/events/attempt.js';

const outcomeOfStatus = (status: number) => outcomeOf({ kind: 'response', status, retryAfter: undefined });

describe('The outcome of an attempt', () => {
  it('is a rejection of the event for a few statuses, and a failure of the endpoint for all others but success', () => {
    const statuses = Array.from({ length: 500 }, (_, index) => 100 + index);
    const having = (outcome: string) => statuses.filter((status) => outcomeOfStatus(status) === outcome);
    expect(having('rejected')).toEqual([400, 409, 413, 415, 422]);
    expect(having('gone')).toEqual([410]);
    expect(having('delivered')).toEqual(Array.from({ length: 100 }, (_, index) => 200 + index));
    expect(having('retry')).toHaveLength(500 - 106);
  });

  it('is why there was no response', () => {
    expect(outcomeOf({ kind: 'timeout', reason: 'no response within 300 ms' })).toBe('timeout');
  });
});
