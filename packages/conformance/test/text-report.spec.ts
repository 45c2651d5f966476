import { checks } from '../src/checks/index.js';
import type { CheckResult } from '../src/result.js';
import { promiseChecks, summaryOf, TextReport } from '../src/text-report.js';

const resultOf = (id: string, outcome: CheckResult['outcome']): CheckResult => {
  return { id, level: 'interface', section: 'The slot', title: 'a statement', outcome, milliseconds: 1 };
};

const summary = (...results: CheckResult[]) => {
  const counts = { passed: 0, failed: results.length, skipped: 0, milliseconds: 1_000 };
  return summaryOf({ url: '', level: 'interface', readOnly: false, ...counts, results })
    .trim()
    .split('\n');
};

describe('The report', () => {
  it('names first the failed checks of the promise, whatever else failed', () => {
    const failed = ['create.location', 'race.slot', 'key.replay'].map((id) => resultOf(id, 'failed'));
    expect(summary(...failed)).toEqual([
      'THE PROMISE MAY BE BROKEN, these checks look for double bookings: race.slot, key.replay',
      '3 checks in 1.0 s: 0 passed, 3 failed, 0 skipped',
      'failed:',
      '  create.location',
      '  race.slot',
      '  key.replay',
    ]);
    expect(summary(failed[0]!)[0]).toMatch(/^1 checks in/);
    expect(summary(resultOf('race.slot', 'skipped'))[0]).toMatch(/^1 checks in/);
  });

  it('knows these checks by ids that there are', () => {
    const ids = new Set(checks.map(({ id }) => id));
    expect(promiseChecks.filter((id) => !ids.has(id))).toEqual([]);
  });

  it('escapes control characters of a response, but for line ends', () => {
    const got = '200 \u001b[2J\u009b1m\u202e\u0007\r\n  pass';
    const failure = { expected: 'a page', got };
    const text = new TextReport().next({ ...resultOf('slot.none', 'failed'), failure });
    expect(text).toContain('got       200 \\u001b[2J\\u009b1m\\u202e\\u0007\\u000d\n');
    expect(text).toMatch(/\n {20}pass\n$/);
  });
});
