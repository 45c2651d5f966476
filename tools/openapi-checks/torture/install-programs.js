import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'programs');

/** Installs `programs` as its lockfile says, and runs no script of theirs; at once where that has been done. */
export default function installPrograms() {
  const [lockfile, installed] = ['package-lock.json', 'node_modules/.installed'].map((name) => join(folder, name));
  if (existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(lockfile, 'utf8')) return;
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier'];
  execFileSync('npm', ['ci', ...quietly], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(installed, readFileSync(lockfile));
}
