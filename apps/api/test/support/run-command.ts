import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export function runCommand(
  name: 'booking' | 'migrate' | 'webhooks',
  words: readonly string[],
  env: Record<string, string>,
  input = '',
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const program = fileURLToPath(new URL(`../../dist/cli/${name}.js`, import.meta.url));
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
    child.stdin!.on('error', () => {}).end(input);
  });
}
