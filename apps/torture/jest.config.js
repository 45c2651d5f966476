/** @type {import('jest').Config} */
export default {
  preset: 'testing',
  globalSetup: 'testing/global-setup',
  globalTeardown: 'testing/global-teardown',
  // Two cores are all that CI has. A shared machine can be slow; what must be fast is measured by the test itself.
  maxWorkers: 2,
  testTimeout: 120_000,
};
