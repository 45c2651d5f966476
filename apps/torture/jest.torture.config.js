import config from './jest.config.js';

/** What `pnpm test` leaves to a quiet machine: the time in which the service recovers. */
process.env.TORTURE_RECOVERY_MS ||= '5000';
/** Hostile clients in larger numbers. */
process.env.HOSTILE_REQUESTS ||= '30000';

/** The long form of `test/quick.spec.ts`, whose scenarios start their own PostgreSQL. @type {import('jest').Config} */
export default {
  ...config,
  testMatch: ['<rootDir>/test/*.long.ts', '<rootDir>/test/hostile/*.spec.ts'],
  // One after the other: they measure how long the service takes to recover.
  maxWorkers: 1,
};
