/** @type {import('jest').Config} */
export default {
  preset: 'testing',
  // A shared machine can be slow.
  testTimeout: 120_000,
};
