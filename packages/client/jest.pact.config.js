import config from './jest.config.js';

export default {
  ...config,
  testMatch: ['<rootDir>/pact/**/*.pact.spec.ts'],
  globalSetup: '<rootDir>/pact/start-afresh.js',
  // All suites write to one file.
  maxWorkers: 1,
};
