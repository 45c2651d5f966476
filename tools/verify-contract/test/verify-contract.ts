import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { verifyContracts } from '../command.js';
import { ServiceUnderContract } from '../service-under-contract.js';

export const root = new URL('../../../', import.meta.url);
const program = fileURLToPath(new URL('tools/dist/verify-contract/main.js', root));

export interface Interaction {
  description: string;
  providerStates?: { name: string; params?: object }[];
  response?: object;
  pending?: boolean;
}

export interface Pact {
  consumer: { name: string };
  provider: { name: string };
  interactions: Interaction[];
}

/** A contract of a consumer in this repository, whose tests Turbo runs before. */
export function pactOf(path: string): Pact {
  return JSON.parse(readFileSync(new URL(path, root), 'utf8')) as Pact;
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Variables = Record<string, string>;

process.env['PACT_DO_NOT_TRACK'] = 'true';

let service: ServiceUnderContract;
beforeAll(async () => {
  service = await ServiceUnderContract.start();
});
afterAll(() => service.stop());

/**
 * Runs `pnpm verify-contract` in this process, with the service of the tests and no more variables than given.
 *
 * @returns its output without that of Pact's native library
 */
export async function verifyContract(args: string[], env: Variables = {}): Promise<Ran> {
  const printed = { stdout: '', stderr: '' };
  const into = (stream: keyof typeof printed) => ({
    write(text: string): boolean {
      printed[stream] += text;
      return true;
    },
  });
  const code = await verifyContracts(args, {
    env,
    stdout: into('stdout'),
    stderr: into('stderr'),
    withService: async (use) => use(service),
  });
  return { code, ...printed };
}

/** Expects exit code 2. @param text what standard error says before its last line */
export function expectNotVerified({ code, stderr }: Ran, text: string | RegExp): void {
  expect(stderr).toMatch(text);
  expect(stderr).toMatch(/\nNot verified, or not published\. --help says what to give\.\n$/);
  expect(code).toBe(2);
}

/** Runs the program of `pnpm verify-contract` as it is built, which starts a service of its own. */
export async function runProgram(args: string[], given: Variables): Promise<Ran> {
  const names = ['PATH', 'TEST_DATABASE_URL', 'TEST_DATABASES_STAY', 'PACT_DO_NOT_TRACK'];
  const inherited = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      { env: { ...inherited, ...given } },
      (_, stdout, stderr) => resolve({ code: child.exitCode, stdout: stripVTControlCharacters(stdout), stderr }),
    );
  });
}
