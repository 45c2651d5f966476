import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const tools = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** The folder that the tarballs were installed in. */
export const consumer = process.env['CONSUMER']!;
/** A running service. */
export const serviceUrl = process.env['SERVICE_URL']!;

export const packages = ['contracts', 'client', 'conformance'] as const;
export type PackageName = (typeof packages)[number];

/** The folder of one of the `projects`, copied next to the installed packages. */
export const project = (name: string): string => join(consumer, 'projects', name);
export const installed = (name: PackageName): string => join(consumer, 'node_modules/@booking-service', name);

export function tarball(name: PackageName): string {
  const folder = join(consumer, 'tarballs');
  return join(
    folder,
    readdirSync(folder).find((file) => file.includes(`-${name}-`))!,
  );
}

/** The path of a program that a tool of these tests brings. */
export function programOf(tool: string, program = tool): string {
  const manifest = readFileSync(join(tools, tool, 'package.json'), 'utf8');
  const { bin } = JSON.parse(manifest) as { bin: string | Record<string, string> };
  return join(tools, tool, typeof bin === 'string' ? bin : bin[program]!);
}

/** Runs a program of Node: what it prints on both outputs, and its exit code. */
export async function run(args: string[], cwd = consumer): Promise<{ code: number; printed: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd }, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, printed: stdout + stderr });
    });
  });
}
