import { runConformance } from '@booking-service/conformance';
import { HANG, onResponse } from '../support/conformance.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;

beforeAll(async () => void (running = await startApp({ RATE_LIMIT: '1000000' })));
afterAll(() => running.close());

describe('The conformance kit, in memory', () => {
  it(
    'finds that the service keeps every level of the interface but events, and its limits on time',
    async () => {
      const { level, results } = await runConformance({ url: running.url, slow: true, onResponse });
      expect(level).toBe('concurrency');
      expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
    },
    HANG,
  );

  it('finds no fault in existing bookings in a read-only run', async () => {
    const { results, passed } = await runConformance({ url: running.url, readOnly: true, onResponse });
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(passed).toBeGreaterThan(50);
  });
});
