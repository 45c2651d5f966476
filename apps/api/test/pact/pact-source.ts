import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { VerifierOptions } from '@pact-foundation/pact';

type Environment = Readonly<Record<string, string | undefined>>;
type PactSource = Partial<VerifierOptions>;

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));

/** Pacts that no deployed or main version has, and that are newer, are tried too. They cannot fail the verification. */
const WORK_IN_PROGRESS_SINCE = '2026-01-01';

/**
 * Where the contracts come from and where the result goes.
 *
 * - `PACT_URL`: this one contract, of a broker (as its webhook for a changed contract names it) or a file, whose path
 *   may be relative to the root of the repository.
 * - `PACT_BROKER_BASE_URL`: from the broker, what consumers have on their main branch, have deployed or
 *   released, and have on the branch of the same name as ours.
 * - neither: the files given.
 *
 * The credentials of a broker are `PACT_BROKER_TOKEN`, or `PACT_BROKER_USERNAME` and `PACT_BROKER_PASSWORD`. Where
 * `CI` is set, the result on PostgreSQL (`TEST_STORE`), which replicas share, is published to it for the commit
 * and branch of `GIT_COMMIT` and `GIT_BRANCH`, of GitHub Actions, or of git.
 *
 * @throws Error when a result is to be published and there is no commit or branch, as on a detached head
 */
export function pactSource(env: Environment, localPacts: string[], ask: typeof git = git): PactSource {
  const one = env['PACT_URL'] ? pactAt(env['PACT_URL']) : undefined;
  const broker = env['PACT_BROKER_BASE_URL'] || undefined;
  if (one !== undefined) return { pactUrls: [one], ...credentials(env), ...publication(env, ask) };
  if (broker === undefined) return { pactUrls: localPacts };
  return {
    pactBrokerUrl: broker,
    ...credentials(env),
    consumerVersionSelectors: [{ mainBranch: true }, { deployedOrReleased: true }, { matchingBranch: true }],
    enablePending: true,
    includeWipPactsSince: WORK_IN_PROGRESS_SINCE,
    ...publication(env, ask),
  };
}

/** Turbo runs the verification in `apps/api`, whatever the folder that it was called in. */
function pactAt(url: string): string {
  return URL.canParse(url) ? url : resolve(REPOSITORY, url);
}

function credentials(env: Environment): PactSource {
  const token = env['PACT_BROKER_TOKEN'];
  if (token) return { pactBrokerToken: token };
  const pactBrokerUsername = env['PACT_BROKER_USERNAME'];
  const pactBrokerPassword = env['PACT_BROKER_PASSWORD'];
  return pactBrokerUsername && pactBrokerPassword ? { pactBrokerUsername, pactBrokerPassword } : {};
}

/** The branch decides what is pending and what matches, so it is sent even where nothing is published. */
function publication(env: Environment, ask: typeof git): PactSource {
  const providerVersion = env['GIT_COMMIT'] || env['GITHUB_SHA'] || ask('rev-parse', 'HEAD');
  const providerVersionBranch =
    env['GIT_BRANCH'] || env['GITHUB_HEAD_REF'] || env['GITHUB_REF_NAME'] || ask('branch', '--show-current');
  const named = {
    ...(providerVersion && { providerVersion }),
    ...(providerVersionBranch && { providerVersionBranch }),
  };
  if (!env['CI'] || env['CI'] === 'false' || env['TEST_STORE'] !== 'postgres') return named;
  if (!providerVersion || !providerVersionBranch) {
    throw new Error('A result is published for a commit and a branch: set GIT_COMMIT and GIT_BRANCH.');
  }
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  const buildUrl = server && repository && run && `${server}/${repository}/actions/runs/${run}`;
  return { ...named, publishVerificationResult: true, ...(buildUrl && { buildUrl }) };
}

/** @returns what git says on one line; nothing where it fails, as in a copy of the sources without `.git` */
function git(...question: string[]): string {
  try {
    return execFileSync('git', question, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
