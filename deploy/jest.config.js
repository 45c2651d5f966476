/** @type {import('jest').Config} */
export default { preset: 'testing', testTimeout: 120_000 };
