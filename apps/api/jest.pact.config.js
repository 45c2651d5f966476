import { onBothStores } from './jest.config.js';

/** @type {import('jest').Config} */
export default {
  projects: onBothStores(['<rootDir>/test/pact/**/*.pact.spec.ts'], ['broker.pact.spec', 'pact-source.pact.spec']),
  testTimeout: 60_000,
};
