/** @type {import('jest').Config} */
export default {
  preset: 'testing',
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
};
