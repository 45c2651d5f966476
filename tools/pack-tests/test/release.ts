import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from 'testing';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../../..');
/** The placeholder, joined here so that replacing it everywhere does not change the rehearsal. */
export const PLACEHOLDER = ['OWNER', 'REPOSITORY'].join('/');
/** Names of the environment variables that say where programs, caches and proxies are: none of them names a registry. */
const OF_MACHINE =
  /^(?:PATH|HOME|XDG_.*|PNPM_HOME|P?NPM_CONFIG_(?:CACHE|CACHE_DIR|STORE_DIR)|.*_PROXY|NODE_EXTRA_CA_CERTS)$/i;
/** The jobs of release.yml that publish packages to npm. */
const JOBS = ['build', 'packages'];

interface Workflow {
  readonly jobs: Record<string, { readonly steps: readonly { readonly run?: string; readonly env?: object }[] }>;
}

export interface Release {
  /** The released version. */
  readonly version: string;
  /** The names of all tags in the rehearsal's repository. */
  readonly tags: readonly string[];
  /** Environment variables with which npm installs from the registry. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Releases the work tree as release.yml says, with an npm registry and a repository of its own: a maintainer replaces
 * the placeholder, makes versions, commits and tags; the workflow's jobs then run every command that they list. Left
 * out are provenance, which only GitHub can give, and what needs an account.
 */
export async function rehearseRelease(registry: string): Promise<Release> {
  const origin = temporaryFolder();
  const maintainer = temporaryFolder();
  const runner = temporaryFolder();
  const account = join(temporaryFolder(), '.npmrc');
  const { host } = new URL(registry);
  writeFileSync(account, `@booking-service:registry=${registry}/\n//${host}/:_authToken=any\n`);
  const ofMachine = Object.entries(process.env).filter(([name]) => OF_MACHINE.test(name));
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(ofMachine),
    CI: 'true',
    NPM_CONFIG_USERCONFIG: account,
    // Git has no configured author on a workflow's runner.
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const author = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, 'Maintainer'],
      [`GIT_${role}_EMAIL`, 'maintainer@example.com'],
    ]),
  );
  const asMaintainer = (command: string) => run(maintainer, { ...env, ...author }, command);

  await run(origin, env, 'git init --bare --initial-branch main');
  await copyWorkTree(maintainer);
  await asMaintainer('git init --initial-branch main');
  await asMaintainer('git add --all && git commit --message before');
  await asMaintainer('pnpm install --prefer-offline --frozen-lockfile');
  await asMaintainer('pnpm version-packages');
  const { version } = JSON.parse(readFileSync(join(maintainer, 'packages/contracts/package.json'), 'utf8')) as {
    version: string;
  };
  await asMaintainer(`git add --all && git commit --message release && git tag v${version}`);
  await asMaintainer(`git push '${origin}' main v${version}`);

  await run(runner, env, `git clone --branch v${version} '${origin}' .`);
  for (const { command, own } of commands()) await run(runner, { ...env, ...own }, command);
  const tags = await run(origin, env, 'git tag');
  return { version, tags: tags.trim().split('\n'), env };
}

/** Copies the files that git tracks or would add, with a real name in place of the placeholder. */
async function copyWorkTree(to: string): Promise<void> {
  const listed = await run(root, process.env, 'git ls-files --cached --others --exclude-standard');
  const files = listed.trim().split('\n');
  for (const file of files.filter((each) => existsSync(join(root, each)))) {
    mkdirSync(join(to, dirname(file)), { recursive: true });
    const text = readFileSync(join(root, file), 'utf8');
    if (text.includes(PLACEHOLDER)) writeFileSync(join(to, file), text.replaceAll(PLACEHOLDER, 'acme/bookings'));
    else cpSync(join(root, file), join(to, file));
  }
}

/** The commands of the workflow's jobs, with the pnpm that runs the tests in place of npx. */
function commands(): { command: string; own: object }[] {
  const { jobs } = parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')) as Workflow;
  const steps = JOBS.flatMap((job) => jobs[job]?.steps ?? []);
  return steps.flatMap(({ run: command, env: own = {} }) =>
    command === undefined ? [] : [{ command: command.replaceAll(/npx --yes pnpm@[\d.]+/g, 'pnpm'), own }],
  );
}

/** Runs a command without blocking the registry, which is in this process. @throws Error with the output if it fails */
export async function run(cwd: string, env: NodeJS.ProcessEnv, command: string): Promise<string> {
  const running = promisify(execFile)('bash', ['-c', command], { cwd, env });
  running.child.stdin!.end();
  const { stdout } = await running.catch((error: Error & { stdout: string; stderr: string }) => {
    throw new Error(`${command}\n${error.stdout}${error.stderr}`);
  });
  return stdout;
}
