/** What takes minutes and root: the image itself. @type {import('jest').Config} */
export default { preset: 'testing', testTimeout: 120_000, testMatch: ['<rootDir>/test/*.long.ts'] };
