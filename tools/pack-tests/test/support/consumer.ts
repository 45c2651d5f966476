import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

/** The folder that the tarballs were installed in. */
const consumer = process.env['CONSUMER']!;
/** A running service. */
export const serviceUrl = process.env['SERVICE_URL']!;

export const packages = ['contracts', 'client', 'conformance'] as const;

/** The `project`, copied next to the installed packages. */
export const folder = join(consumer, 'project');
export const installed = (name: string): string => join(consumer, 'node_modules/@booking-service', name);

/** Runs a program of Node in the project: what it prints on both outputs, and its exit code. */
export async function run(args: string[]): Promise<{ code: number; printed: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: folder }, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, printed: stdout + stderr });
    });
  });
}

/** Runs the compiler in the project. */
export const compile = (flags: string[]) => run([tsc, ...flags]);
