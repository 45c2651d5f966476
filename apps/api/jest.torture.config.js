import config from './jest.config.js';

const [{ testEnvironment, extensionsToTreatAsEsm, moduleNameMapper, transform, globalSetup, globalTeardown }] =
  config.projects;

/** The long form of `test/torture/quick.spec.ts`. Its scenarios bring their own PostgreSQL. @type {import('jest').Config} */
export default {
  testEnvironment,
  extensionsToTreatAsEsm,
  moduleNameMapper,
  transform,
  globalSetup,
  globalTeardown,
  // One after the other: they measure how long the service takes to come back.
  maxWorkers: 1,
  testTimeout: 30_000,
  testMatch: ['<rootDir>/test/torture/*.long.ts'],
};
