/**
 * `node tools/start.js PROGRAM ARGUMENT…`: installs and builds what a program needs, then runs it in this process,
 * where each signal arrives once. Nothing but the program writes to standard output.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { endWithScript } from './end-with-script.js';
import { bundle, install, turbo } from './turbo.js';

const SERVICE = 'apps/api/dist/main.js';
const STANDARD_ERROR = 2;

/** A root package that a production install leaves out. */
const DEVELOPERS_TOOL = new URL('../node_modules/oxfmt', import.meta.url);
const OF_SERVICE = ['--prod', '--filter', '.', '--filter-prod', 'api...'];
const SERVICE_FOLDERS = ['apps/timetable', 'apps/api'];

/**
 * For each program, the file to run and the exit code if the install or the build fails (default: 1). What runs on its
 * own is bundled from the sources in these folders, for which an install with these filters suffices; the others need
 * the whole workspace and the build of these packages.
 *
 * @type {Record<string, { main: string, failure?: number, bundle?: string[], filters?: string[], build?: string[] }>}
 */
const programs = {
  service: { main: SERVICE, bundle: SERVICE_FOLDERS, filters: OF_SERVICE },
  bundle: { main: 'deploy/bundle.js', bundle: SERVICE_FOLDERS, filters: OF_SERVICE },
  postgres: {
    main: 'tools/testing/dist/start-postgres.js',
    bundle: [...SERVICE_FOLDERS, 'tools/testing'],
    filters: [...OF_SERVICE, '--filter', 'testing'],
  },
  watch: { main: 'node_modules/nodemon/bin/nodemon.js' },
  demo: { main: 'examples/demo/src/main.js', build: ['api', 'testing', '@booking-service/client'] },
  bench: { main: 'tools/dist/bench/main.js', build: ['api', 'tools'] },
  conformance: {
    main: 'packages/conformance/bin/bookings-conformance.js',
    build: ['@booking-service/conformance'],
  },
  'contract:breaking': { main: 'tools/contract-breaking/src/main.js' },
  'verify-contract': { main: 'tools/dist/verify-contract/main.js', build: ['api', 'tools'], failure: 2 },
};

const [, , name, ...args] = process.argv;
const { main, failure = 1, bundle: folders = [], filters, build = [] } = programs[name];
if (!(await isPrepared())) process.exit(failure);
endWithScript();
const file = fileURLToPath(new URL(`../${main}`, import.meta.url));
process.argv = [process.execPath, file, ...args];
await import(pathToFileURL(file).href);

async function isPrepared() {
  // pnpm would remove what the filters leave out.
  const isDeveloped = existsSync(DEVELOPERS_TOOL);
  if ((await install(isDeveloped ? [] : filters, STANDARD_ERROR)) !== 0) return false;
  for (const folder of folders) {
    if ((await bundle(folder)) !== 0) return false;
  }
  if (build.length === 0) return true;
  const packages = build.map((each) => `--filter=${each}`);
  return (await turbo(['run', 'build', ...packages, '--output-logs=errors-only'], STANDARD_ERROR)) === 0;
}
