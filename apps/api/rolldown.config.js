import { defineConfig } from 'rolldown';

/**
 * Bundles what `tsc` compiled with the packages that it loads: `dist` is what is run and shipped. To find and
 * read a thousand files takes most of a start.
 */
export default defineConfig({
  input: {
    main: 'build/main.js',
    'cli/booking': 'build/cli/booking.js',
    'cli/make-api-key': 'build/cli/make-api-key.js',
    'cli/migrate': 'build/cli/migrate.js',
    'cli/webhooks': 'build/cli/webhooks.js',
  },
  platform: 'node',
  external: [
    // Nest's decorators write into it while they are loaded: an import is evaluated before them, a bundled part is not.
    'reflect-metadata',
    // What OpenTelemetry instruments has to be loaded by its name.
    'pg',
    // Parts of Nest that are not installed: it looks for them, and does without.
    /^@nestjs\/(?:microservices|websockets)/,
    /^class-(?:transformer|validator)/,
    // `@nestjs/swagger` would serve by it on Fastify.
    '@fastify/static',
    // An optional part of `debug`, which is installed for development alone.
    'supports-color',
  ],
  logLevel: 'warn',
  // A call whose result is unused may still throw.
  treeshake: false,
  output: {
    cleanDir: true,
    // As deep as the compiled files: `config/config.ts` finds `migrations` from its own place.
    chunkFileNames: 'chunks/[name].js',
    minify: false,
  },
});
