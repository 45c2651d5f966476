/** Tests with programs that are installed by hand. @type {import('jest').Config} */
export default { preset: 'testing', testMatch: ['<rootDir>/test/*.long.ts'] };
