/** @type {import('jest').Config} */
export default { preset: 'testing', testMatch: ['<rootDir>/{contract-breaking,pack-tests}/test/*.spec.ts'] };
