import config from './jest.config.js';

export default {
  ...config,
  testMatch: ['<rootDir>/pact/**/*.pact.spec.ts'],
  globalSetup: '<rootDir>/pact/start-afresh.js',
  // The suites write into one pact file.
  maxWorkers: 1,
};
