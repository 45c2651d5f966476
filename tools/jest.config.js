/** @type {import('jest').Config} */
export default { preset: 'testing', testMatch: ['<rootDir>/*/test/*.spec.ts'] };
