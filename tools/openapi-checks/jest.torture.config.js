/** What takes too long for every change: the programs of others are large, and installed for it. @type {import('jest').Config} */
export default {
  preset: 'testing',
  testMatch: ['<rootDir>/torture/*.long.ts'],
  globalSetup: '<rootDir>/torture/install-programs.js',
  testTimeout: 120_000,
};
