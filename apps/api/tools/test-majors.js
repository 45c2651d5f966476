/** Runs what depends on SQL on each supported PostgreSQL, and stops at the first that fails. */
import { spawnSync } from 'node:child_process';
import { MAJORS } from 'testing';

const JEST = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'];
const SUITES = ['test/bookings/postgres', 'test/database', 'test/events', 'postgres-conformance'];
// Last, since jest takes all that follows as patterns.
const FILES = ['--testMatch', '**/test/**/*.{spec,long}.ts'];

for (const major of MAJORS) {
  const env = { ...process.env, TEST_POSTGRES: major, TEST_LIST_ROWS: '12000' };
  const { status } = spawnSync(process.execPath, [...JEST, ...SUITES, ...FILES], { stdio: 'inherit', env });
  if (status !== 0) process.exit(1);
}
