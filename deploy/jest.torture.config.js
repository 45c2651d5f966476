/** Tests of the image, which take minutes and require root. @type {import('jest').Config} */
export default { preset: 'testing', testMatch: ['<rootDir>/test/*.long.ts'] };
