import { defineConfig } from 'rolldown';

/** Bundles the program of `pnpm start:postgres`, which runs where no compiler is installed. */
export default defineConfig({
  input: 'src/start-postgres.ts',
  platform: 'node',
  external: ['pg'],
  output: { dir: 'dist' },
});
