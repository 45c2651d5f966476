const project = { preset: 'testing' };
const browser = {
  ...project,
  globalSetup: '<rootDir>/test/support/start-chromium.js',
  globalTeardown: '<rootDir>/test/support/stop-chromium.js',
};

/** @type {import('jest').Config} */
export default {
  // A shared machine can be slow; what must be fast is measured by the benchmark.
  testTimeout: 120_000,
  projects: [
    { ...project, displayName: 'unit', testMatch: ['<rootDir>/test/*.spec.ts'] },
    { ...browser, displayName: 'browser', testMatch: ['<rootDir>/test/browser/*.spec.ts'] },
    { ...browser, displayName: 'bench', testMatch: ['<rootDir>/test/browser/*.bench.ts'] },
  ],
};
