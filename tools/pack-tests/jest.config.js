/** @type {import('jest').Config} */
export default {
  preset: 'testing',
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  // Compilers, bundlers and a browser on a machine that does other things too.
  testTimeout: 120_000,
};
