/** Tests of the image, which take minutes and require root. @type {import('jest').Config} */
export default { preset: 'testing', testTimeout: 120_000, testMatch: ['<rootDir>/test/*.long.ts'] };
