import { defineConfig } from 'rolldown';

/**
 * Bundles the sources with the packages that they load: `dist` is what is run and shipped. To find and read a thousand
 * files takes most of a start.
 */
export default defineConfig({
  input: {
    main: 'src/main.ts',
    'cli/booking': 'src/cli/booking.ts',
    'cli/make-api-key': 'src/cli/make-api-key.ts',
    'cli/migrate': 'src/cli/migrate.ts',
    'cli/webhooks': 'src/cli/webhooks.ts',
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
    // As deep as the sources: `config/config.ts` finds `migrations` from its own place.
    chunkFileNames: 'chunks/[name].js',
    minify: false,
  },
});
