/** @type {import('jest').Config} */
export default { preset: 'testing', testTimeout: 30_000, maxWorkers: 2 };
