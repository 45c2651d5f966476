import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type StandInBroker, TOKEN } from './stand-in-broker.js';

const root = new URL('../../../../', import.meta.url);
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

/** A contract of the consumers of this repository, which Turbo makes before. */
export function pactOf(path: string): Pact {
  return JSON.parse(readFileSync(new URL(path, root), 'utf8')) as Pact;
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `pnpm verify-contract` as it is built, on the PostgreSQL of the tests, with no more variables than given. */
export async function verifyContract(args: string[], given: Record<string, string> = {}, cwd?: string): Promise<Ran> {
  const names = ['PATH', 'TEST_DATABASE_URL', 'TEST_DATABASES_STAY'];
  const inherited = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  const env = { ...inherited, PACT_DO_NOT_TRACK: 'true', ...given };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { env, cwd }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout: stripVTControlCharacters(stdout), stderr }),
    );
  });
}

/** Runs it with the variables of a broker. Its output never contains the token. */
export async function verifyFrom(
  broker: StandInBroker,
  args: string[],
  given: Record<string, string> = {},
  cwd?: string,
): Promise<Ran> {
  const variables = { PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_TOKEN: TOKEN, ...given };
  const ran = await verifyContract(args, variables, cwd);
  expect(ran.stdout + ran.stderr).not.toContain(TOKEN);
  return ran;
}
