/** @type {import('jest').Config} */
export default {
  preset: 'testing',
  globalSetup: 'testing/global-setup',
  globalTeardown: 'testing/global-teardown',
};
