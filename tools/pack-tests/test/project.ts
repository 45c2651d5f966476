import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const root = join(import.meta.dirname, '../../..');
const dependencies = join(import.meta.dirname, '../../node_modules');
export const PACKAGES = ['contracts', 'client', 'conformance'];

/** A project of others, which has the packages from their tarballs. */
export class Project {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'pack-tests-')));

  /** Nothing is fetched: zod and the types of Node are those of the workspace. */
  constructor() {
    const stdio = 'pipe';
    for (const name of PACKAGES)
      execFileSync('pnpm', ['pack', '--pack-destination', this.folder], { cwd: join(root, 'packages', name), stdio });
    const tarballs = readdirSync(this.folder).map((name) => `./${name}`);
    this.write('package.json', '{ "private": true, "type": "module" }\n');
    const zod = realpathSync(join(dependencies, 'zod'));
    execFileSync('npm', ['install', '--offline', '--ignore-scripts', ...tarballs, zod], { cwd: this.folder, stdio });
    mkdirSync(join(this.folder, 'node_modules/@types'));
    symlinkSync(realpathSync(join(dependencies, '@types/node')), join(this.folder, 'node_modules/@types/node'));
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** Runs a program of Node in the project: what it prints on both outputs, and its exit code. */
  async run(...args: string[]): Promise<{ code: number; printed: string }> {
    return new Promise((resolve) => {
      const child = execFile(process.execPath, args, { cwd: this.folder }, (_error, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, printed: stdout + stderr });
      });
    });
  }

  /** Runs a program of this workspace, such as `typescript/bin/tsc`, in the project. */
  async runTool(path: string, ...args: string[]): Promise<{ code: number; printed: string }> {
    return this.run(join(dependencies, path), ...args);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
