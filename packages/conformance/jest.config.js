/** @type {import('jest').Config} */
export default {
  preset: 'testing',
  // A run of the whole kit, on a machine that is busy: only a hang takes this long.
  testTimeout: 600_000,
};
