import { fileURLToPath } from 'node:url';

/**
 * How every package runs its tests: TypeScript as ES modules (`node --experimental-vm-modules`), compiled by swc without
 * a check of types, and with the decorators that Nest reads. A package says `preset: 'testing'`.
 *
 * @type {import('jest').Config}
 */
export default {
  testEnvironment: fileURLToPath(new URL('jest-environment.js', import.meta.url)),
  // These two Jest takes from a preset only where a package has no `projects`.
  // A shared machine can be slow; what must be fast is measured by the test itself.
  testTimeout: 120_000,
  // What failed stands at the end too, where the output of other packages does not bury it.
  reporters: ['default', ['summary', { summaryThreshold: 0 }]],
  testMatch: ['<rootDir>/test/**/*.spec.ts'],
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
