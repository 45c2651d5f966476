/**
 * `node tools/turbo.js ARGUMENT…`: installs what is missing, then runs turbo. Fails if a signal ends turbo, which would
 * itself exit with 0.
 *
 * Uses no shell, since Windows has a different one, and nothing that has to be installed first.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ROLLDOWN = fileURLToPath(new URL('../node_modules/rolldown/bin/cli.mjs', import.meta.url));
const TURBO = fileURLToPath(new URL('../node_modules/turbo/bin/turbo', import.meta.url));
const PNPM = process.env.npm_execpath ?? 'pnpm';
/** The pnpm that runs this script, as a program and its arguments: before version 12, pnpm was itself a script. */
export const pnpmCommand = /\.[cm]?js$/.test(PNPM) ? [process.execPath, PNPM] : [PNPM];
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'];

// No tool phones home.
Object.assign(process.env, { DO_NOT_TRACK: '1', PACT_DO_NOT_TRACK: 'true' });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = (await install()) || (await turbo(process.argv.slice(2)));
}

/**
 * @param {string[]} [filters] the filters of `pnpm install`; default: the whole workspace
 * @param {'inherit' | number} [output] the destination of standard output
 * @returns the exit code
 */
export function install(filters = [], output = 'inherit') {
  return run([...pnpmCommand, 'install', ...filters], output);
}

/** @param {string[]} args @param {'inherit' | number} [output] @returns the exit code */
export function turbo(args, output = 'inherit') {
  return run([process.execPath, TURBO, ...args], output);
}

/** @param {string} folder the package whose sources are bundled; the list of files is not shown @returns the exit code */
export function bundle(folder) {
  return run([process.execPath, ROLLDOWN, '--config'], 'ignore', new URL(`../${folder}/`, import.meta.url));
}

/**
 * Runs a program to its end, and passes signals on to it.
 *
 * @param {string[]} command @param {'inherit' | 'ignore' | number} output @param {URL} [cwd]
 * @returns the exit code; 1 after a signal
 */
async function run([program = '', ...args], output, cwd) {
  const child = spawn(program, args, { cwd, stdio: ['inherit', output, 'inherit'] });
  let isStopped = false;
  /** @param {NodeJS.Signals} signal */
  const stop = (signal) => {
    isStopped = true;
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    const [code] = await once(child, 'exit');
    return isStopped ? 1 : (code ?? 1);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    process.stderr.write(`${program} cannot be run (${message}). README.md says how to run pnpm.\n`);
    return 1;
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}
