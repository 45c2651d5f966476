/** @type {import('jest').Config} */
export default { preset: 'testing', testTimeout: 60_000 };
