import { fileURLToPath } from 'node:url';

/**
 * TypeScript as ES modules (`node --experimental-vm-modules`), compiled by swc without checking types, with Nest's
 * decorators.
 *
 * @type {import('jest').Config}
 */
export default {
  testEnvironment: fileURLToPath(new URL('jest-environment.js', import.meta.url)),
  // Milliseconds that only a hang takes. Jest ignores a preset's `testTimeout` and `reporters` in a package with `projects`.
  testTimeout: 600_000,
  // The summary repeats the failures at the end.
  reporters: ['default', ['summary', { summaryThreshold: 0 }]],
  testMatch: ['**/test/**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      fileURLToPath(import.meta.resolve('@swc/jest')),
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
};
