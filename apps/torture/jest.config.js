/** @type {import('jest').Config} */
export default {
  preset: 'testing',
  globalSetup: 'testing/global-setup',
  globalTeardown: 'testing/global-teardown',
  // A shared machine can be slow; what must be fast is measured by the test itself.
  testTimeout: 120_000,
};
