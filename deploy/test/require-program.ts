import { spawnSync } from 'node:child_process';

/** @throws Error with what to install, where a program is missing: no test is skipped */
export function requireProgram(name: string, debianPackage: string): void {
  const { error } = spawnSync(name, ['--version'], { env: { PATH: `${process.env['PATH']}:/usr/sbin` } });
  if (error !== undefined) throw new Error(`${name} is not installed: apt-get install ${debianPackage}`);
}
