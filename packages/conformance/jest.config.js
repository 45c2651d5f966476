/** @type {import('jest').Config} */
export default {
  preset: 'testing',
  maxWorkers: 2,
  // A shared machine can be slow.
  testTimeout: 120_000,
};
