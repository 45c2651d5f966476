/** @type {import('jest').Config} */
export default {
  preset: 'testing',
  testMatch: ['**/test/*.pact.ts'],
  globalSetup: 'testing/global-setup',
  globalTeardown: 'testing/global-teardown',
};
