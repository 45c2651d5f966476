import { onBothStores } from './jest.config.js';

/** @type {import('jest').Config} */
export default {
  projects: onBothStores(
    ['<rootDir>/test/pact/**/*.pact.spec.ts'],
    // Those of events take PostgreSQL by themselves.
    ['events.pact.spec', 'verify-contract.pact.spec'],
  ),
  // A verification restarts the service for every interaction, on a machine that does other things too.
  testTimeout: 120_000,
};
