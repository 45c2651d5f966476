import { MAJORS } from 'testing';
import { withoutChromium } from 'testing/chromium';
import config from './jest.config.js';

process.env.TEST_POSTGRES = MAJORS.at(-1);

/** The rows take ten minutes to insert. */
process.env.TEST_LIST_ROWS ||= '300000';

const { maxWorkers: _, workerGracefulExitTimeout: __, ...project } = config;
/** What would hold up `pnpm test`: minutes of silence, name servers that are away, a full heap, plans of many rows. */
const long = {
  ...project,
  displayName: 'long',
  testPathIgnorePatterns: withoutChromium('Swagger UI in a browser', '/e2e/swagger-ui'),
  testMatch: ['<rootDir>/test/**/*.long.ts'],
};

/** The suites that ask most of a database, through a real PgBouncer in transaction mode. */
const throughPgBouncer = {
  ...project,
  displayName: 'pgbouncer',
  globalSetup: '<rootDir>/test/pgbouncer/start-pgbouncer.js',
  globalTeardown: '<rootDir>/test/pgbouncer/stop-pgbouncer.js',
  setupFiles: ['<rootDir>/test/pgbouncer/use-pgbouncer.js'],
  testMatch: [
    '<rootDir>/test/bookings/postgres-*.spec.ts',
    '<rootDir>/test/database/{readiness,schema}.spec.ts',
    '<rootDir>/test/database/database-settings.long.ts',
    '<rootDir>/test/events/{delivery,failures}.spec.ts',
    '<rootDir>/test/events/failures.long.ts',
    '<rootDir>/test/e2e/postgres-conformance.spec.ts',
  ],
};

const isWithoutPgBouncer = process.env.TORTURE_WITHOUT_PGBOUNCER === 'true';
if (isWithoutPgBouncer) process.stderr.write('PgBouncer is left out, as TORTURE_WITHOUT_PGBOUNCER says.\n');

/** What the service's own tests do in `pnpm test:torture`. @type {import('jest').Config} */
export default {
  maxWorkers: 1,
  testTimeout: 600_000,
  projects: [long, ...(isWithoutPgBouncer ? [] : [throughPgBouncer])],
};
