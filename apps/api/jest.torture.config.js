/** The long form of `test/torture/quick.spec.ts`. It brings its own PostgreSQL. @type {import('jest').Config} */
export default { preset: 'testing', testMatch: ['<rootDir>/test/torture/torture.long.ts'] };
