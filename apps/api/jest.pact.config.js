/** @type {import('jest').Config} */
export default {
  preset: 'testing',
  globalSetup: 'testing/global-setup',
  globalTeardown: 'testing/global-teardown',
  testMatch: ['<rootDir>/test/pact/**/*.pact.spec.ts'],
  // A verification restarts the service for every interaction, on a machine that does other things too.
  testTimeout: 120_000,
};
