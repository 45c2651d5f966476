// The long form, which has the machine to itself and alone judges by a clock.
if (process.env.npm_lifecycle_event === 'test:torture') process.env.TORTURE_LONG = 'true';

/** @type {import('jest').Config} */
export default { preset: 'testing' };
