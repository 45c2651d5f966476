import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const workspace = join(import.meta.dirname, '../..');

const PASSWORDS = { BOOKINGS_OWNER_PASSWORD: "it's 1", BOOKINGS_PASSWORD: 'secret-2' };

interface Place {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
}

/**
 * Runs a program in the workspace or another folder, by default with the roles' passwords in its environment.
 *
 * @returns its standard output
 * @throws Error that names the Debian package if the program is not installed
 */
export function run(program: string, debianPackage: string, args: readonly string[], place: Place = {}): string {
  const { env: variables = PASSWORDS, cwd = workspace } = place;
  const env = { PATH: `${process.env['PATH']}:/usr/sbin`, ...variables };
  const { error, status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  if (error !== undefined) throw new Error(`${program} is not installed: apt-get install ${debianPackage}`);
  expect({ status, fault: status === 0 ? '' : stderr }).toEqual({ status: 0, fault: '' });
  return stdout;
}

export const psql = (...args: string[]): string => run('psql', 'postgresql-client', args);
