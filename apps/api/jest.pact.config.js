import config from './jest.config.js';

/** @type {import('jest').Config} */
export default { ...config, testMatch: ['<rootDir>/test/pact/**/*.pact.spec.ts'], testTimeout: 60_000 };
