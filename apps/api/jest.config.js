import { MAJORS } from 'testing';

// The oldest supported PostgreSQL, which has the fewest features; `pnpm test:majors` names each.
process.env.TEST_POSTGRES ||= MAJORS[0];

/** @type {import('jest').Config} */
export default {
  preset: 'testing',
  globalSetup: 'testing/global-setup',
  globalTeardown: 'testing/global-teardown',
  // On the two cores that CI has: half of the tests wait for PostgreSQL or a clock, and this is the longest task of
  // `pnpm test`. The others have jest's default, one worker on two cores.
  maxWorkers: 3,
  // A worker leaves nothing open, but a busy machine takes longer than Jest's half second to free its memory.
  workerGracefulExitTimeout: 60_000,
};
