const project = { preset: 'testing' };

/** @type {import('jest').Config} */
export default {
  // A shared machine can be slow; what must be fast is measured by the test itself.
  testTimeout: 120_000,
  projects: [
    { ...project, displayName: 'unit', testMatch: ['<rootDir>/test/*.spec.ts'] },
    {
      ...project,
      displayName: 'browser',
      testMatch: ['<rootDir>/test/browser/**/*.spec.ts'],
      globalSetup: '<rootDir>/test/support/start-chromium.js',
      globalTeardown: '<rootDir>/test/support/stop-chromium.js',
    },
  ],
};
