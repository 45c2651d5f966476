import config from './jest.config.js';

const [{ testEnvironment, extensionsToTreatAsEsm, moduleNameMapper, transform }] = config.projects;

/** The long form of `test/torture/quick.spec.ts`. It brings its own PostgreSQL. @type {import('jest').Config} */
export default {
  testEnvironment,
  extensionsToTreatAsEsm,
  moduleNameMapper,
  transform,
  testMatch: ['<rootDir>/test/torture/torture.long.ts'],
};
