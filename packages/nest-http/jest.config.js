/** @type {import('jest').Config} */
export default {
  preset: 'testing',
  // A shared machine can be slow; what must be fast is measured by the test itself.
  testTimeout: 120_000,
};
