/** @type {import('jest').Config} */
export default {
  preset: 'testing',
  // Each check of a repository is a few processes, on a machine that does other things too.
  testTimeout: 120_000,
};
