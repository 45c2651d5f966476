/** @type {import('jest').Config} */
export default { preset: 'testing' };
