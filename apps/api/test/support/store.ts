/** What keeps the bookings of the services under test; `memory` unless the environment says so. */
const store = process.env['TEST_STORE'] ?? 'memory';

/** A `describe` of what holds for the store in memory alone; elsewhere it is skipped and says why. */
export function describeInMemory(name: string, tests: () => void): void {
  if (store === 'memory') describe(name, tests);
  else describe.skip(`${name} (skipped: the store under test is ${store}, which is bounded elsewhere)`, tests);
}
