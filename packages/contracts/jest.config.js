/** By its path: `testing` depends on this package. @type {import('jest').Config} */
export default { preset: '../../tools/testing/jest-preset.js' };
