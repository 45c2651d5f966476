const project = {
  preset: 'testing',
  globalSetup: 'testing/global-setup',
  globalTeardown: 'testing/global-teardown',
};

/** What happens before the store is queried: `pnpm test` runs it in memory, `pnpm test:torture` on PostgreSQL too. */
export const beforeTheStore = [
  'booking-schema',
  'common-headers',
  'cors',
  'documentation',
  'guard',
  'problems',
  'tokens',
];

/** The same tests against the service in memory and on PostgreSQL. */
export const onBothStores = (testMatch, inMemoryOnly = []) => [
  { ...project, displayName: 'memory', testMatch },
  {
    ...project,
    displayName: 'postgres',
    testMatch,
    testPathIgnorePatterns: ['/node_modules/', ...inMemoryOnly],
    setupFiles: ['<rootDir>/test/support/use-postgres.js'],
  },
];

/** What depends most on the version of PostgreSQL: `pnpm test` runs it on the oldest supported one too. */
export const whatSqlDecides = [
  '<rootDir>/test/bookings/postgres-*.spec.ts',
  '<rootDir>/test/database/{address,constraints,explain,migrations}.spec.ts',
  '<rootDir>/test/events/{command,delivery-store,environments}.spec.ts',
  '<rootDir>/test/e2e/conformance.spec.ts',
];

/** @type {import('jest').Config} */
export default {
  // On the two cores that CI has: half of the tests wait for PostgreSQL or a clock, and this is the longest task of
  // `pnpm test`. The others have jest's default, one worker on two cores.
  maxWorkers: 3,
  // A shared machine can be slow; what must be fast is measured by the test itself.
  testTimeout: 120_000,
  projects: [
    {
      ...project,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/!(browser|e2e|pact|pgbouncer|support)/**/*.spec.ts', '<rootDir>/test/*.spec.ts'],
    },
    { ...project, displayName: 'browser', testMatch: ['<rootDir>/test/browser/**/*.spec.ts'] },
    ...onBothStores(['<rootDir>/test/e2e/**/*.spec.ts'], ['rate-limit', `e2e/(${beforeTheStore.join('|')})`]),
    {
      ...project,
      displayName: 'oldest-postgres',
      globalSetup: 'testing/oldest-global-setup',
      setupFiles: ['<rootDir>/test/support/use-oldest-postgres.js'],
      testMatch: whatSqlDecides,
    },
  ],
};
