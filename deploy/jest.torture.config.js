/** Tests of the image, whose first build takes minutes and requires root. @type {import('jest').Config} */
export default { preset: 'testing', testMatch: ['<rootDir>/test/*.long.ts'], testTimeout: 1_800_000 };
