import { runConformance } from '@booking-service/conformance';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;

beforeAll(async () => {
  running = await startApp();
});
afterAll(() => running.close());

// The limits on time are those of one server for both stores, and waiting for them takes 16 s.
const slow = process.env['TEST_STORE'] !== 'postgres';

describe('The conformance kit', () => {
  it('finds that the service keeps every level of the interface', async () => {
    const { results } = await runConformance({ url: running.url, slow });
    const skipped = slow ? [] : ['limit.headers-time', 'limit.request-time'];
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(results.filter(({ outcome }) => outcome === 'skipped').map(({ id }) => id)).toEqual(skipped);
  });

  it('finds nothing else on the bookings that are there then, where it may only read', async () => {
    const { results, passed } = await runConformance({ url: running.url, readOnly: true });
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(passed).toBeGreaterThan(50);
  });
});
