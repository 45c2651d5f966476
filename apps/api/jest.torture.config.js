import config, { beforeTheStore } from './jest.config.js';

const [{ testMatch: _, displayName: __, ...project }] = config.projects;

/** The suites that ask most of a database, through a real PgBouncer in transaction mode. */
const throughPgBouncer = {
  ...project,
  displayName: 'pgbouncer',
  globalSetup: '<rootDir>/test/torture/pgbouncer/start-pgbouncer.js',
  globalTeardown: '<rootDir>/test/torture/pgbouncer/stop-pgbouncer.js',
  setupFiles: ['<rootDir>/test/torture/pgbouncer/use-pgbouncer.js'],
  testMatch: [
    '<rootDir>/test/bookings/postgres-*.spec.ts',
    '<rootDir>/test/database/time-limits.spec.ts',
    '<rootDir>/test/database/faults-in-the-log.spec.ts',
    '<rootDir>/test/e2e/{create,idempotency,list,list-filters,cursors,rate-limit}.spec.ts',
  ],
};

/** Hostile clients in larger numbers, and the memory ceiling of larger heaps. */
const hostile = {
  ...project,
  displayName: 'hostile',
  setupFiles: ['<rootDir>/test/hostile/long-form.js'],
  testMatch: ['<rootDir>/test/hostile/*.spec.ts', '<rootDir>/test/memory-ceiling.spec.ts'],
};

/** What `pnpm test` tries in memory alone. */
const onPostgres = {
  ...project,
  displayName: 'postgres',
  setupFiles: ['<rootDir>/test/support/use-postgres.js'],
  testMatch: [`<rootDir>/test/e2e/{${beforeTheStore.join(',')}}.spec.ts`],
};

const isWithoutPgBouncer = process.env.TORTURE_WITHOUT_PGBOUNCER === 'true';
if (isWithoutPgBouncer) process.stderr.write('PgBouncer is left out, as TORTURE_WITHOUT_PGBOUNCER asks for.\n');

/** The long form of `test/torture/quick.spec.ts`, whose scenarios bring their own PostgreSQL. @type {import('jest').Config} */
export default {
  // One after the other: they measure how long the service takes to come back.
  maxWorkers: 1,
  testTimeout: 120_000,
  projects: [
    { ...project, displayName: 'torture', testMatch: ['<rootDir>/test/torture/*.long.ts'] },
    hostile,
    onPostgres,
    ...(isWithoutPgBouncer ? [] : [throughPgBouncer]),
  ],
};
