import { defineConfig } from 'rolldown';

/**
 * Joins the compiled service and the packages that it loads into a few files: those of a start, and some that are
 * loaded only where they are asked for. To find and read a thousand files takes two thirds of a start.
 */
export default defineConfig({
  input: 'dist/serve.js',
  platform: 'node',
  external: [
    // The one copy that `main.ts` has loaded before.
    'reflect-metadata',
    // Parts of Nest and of `pg` that are not installed: they look for them, and do without.
    /^@nestjs\/(?:microservices|websockets)/,
    /^class-(?:transformer|validator)/,
    'pg-native',
    // `@nestjs/swagger` would serve by it on Fastify.
    '@fastify/static',
  ],
  logLevel: 'warn',
  // What is joined stays what was compiled: a call whose result nobody takes may still throw.
  treeshake: false,
  output: {
    minify: false,
    dir: 'dist/joined',
    cleanDir: true,
    chunkFileNames: '[name].js',
  },
});
