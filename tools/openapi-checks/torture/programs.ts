import { type ChildProcess, execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('programs/node_modules', import.meta.url));

export const documentPath = fileURLToPath(new URL('../../../packages/contracts/openapi.json', import.meta.url));

/** The path of a program that an installed package brings. */
export function programOf(tool: string, program: string): string {
  const manifest = readFileSync(`${packages}/${tool}/package.json`, 'utf8');
  const { bin } = JSON.parse(manifest) as { bin: string | Record<string, string> };
  return `${packages}/${tool}/${typeof bin === 'string' ? bin : bin[program]!}`;
}

export interface Ended {
  code: number | null;
  printed: string;
}

/** Runs a program of Node. @returns its exit code, and what it prints on both outputs */
export async function run(args: string[], cwd: string): Promise<Ended> {
  const env = { PATH: process.env['PATH'], NO_COLOR: '1' };
  return new Promise((resolve) => {
    const child: ChildProcess = execFile(process.execPath, args, { cwd, env }, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode, printed: stdout + stderr });
    });
  });
}
