import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from 'testing';
import { parse } from 'yaml';
import { TOKEN } from './stand-in-broker.js';
import { expectNotVerified, root, type Variables } from './verify-contract.js';
import { broker, ON_BRANCH, oneEvent, verifyFrom } from './verify-from.js';

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** Makes a repository with a commit: the checkout may be an unpacked archive. */
function beginRepository(path: string): void {
  git('init', '--quiet', '--initial-branch', 'topic', path);
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  git('-C', path, ...author, 'commit', '--quiet', '--allow-empty', '--message', 'first');
}

describe('The version and the branch', () => {
  const before = process.cwd();
  beforeEach(() => process.chdir(temporaryFolder()));
  afterEach(() => process.chdir(before));

  it('are those of git, or what the pipeline names where the checkout has no branch', async () => {
    beginRepository('.');
    const variables = { GITHUB_HEAD_REF: '', GITHUB_REF_NAME: '7/merge', CI_COMMIT_REF_NAME: 'gitlab' };
    const version = git('rev-parse', 'HEAD');
    broker.holds([oneEvent]);
    const kept = { code: 0, stderr: '' };
    expect(await verifyFrom(['--publish'], variables)).toMatchObject(kept);
    git('checkout', '--quiet', '--detach');
    expect(await verifyFrom(['--publish'], variables)).toMatchObject(kept);
    expect(await verifyFrom(['--publish'], { ...variables, GITHUB_HEAD_REF: 'feature' })).toMatchObject(kept);
    const ofGitLab = { CI_COMMIT_REF_NAME: 'gitlab', CI_JOB_URL: 'https://ci.example/7' };
    // A variable of the pipeline may be unset.
    expect(await verifyFrom(['--publish', '--provider-version', ''], ofGitLab)).toMatchObject(kept);
    const pathOf = (name: string) => `/pacticipants/bookings-service-events/branches/${name}/versions/${version}`;
    const paths = broker.published.map(([path]) => path).filter((path) => path.includes('service-events/branches/'));
    expect(paths).toEqual(['topic', '7%2Fmerge', 'feature', 'gitlab'].map(pathOf));
    const results = broker.asked.filter(({ path }) => path.endsWith('/verification-results'));
    expect(results.at(-1)!.body).toMatchObject({
      success: true,
      providerApplicationVersion: version,
      buildUrl: 'https://ci.example/7',
    });
  });

  it('are asked for where neither is known', async () => {
    broker.holds([oneEvent]);
    expectNotVerified(
      await verifyFrom(['--publish', ...ON_BRANCH]),
      'There is no commit here: give --provider-version.',
    );
    expectNotVerified(await verifyFrom([]), 'The branch is not known here: give --provider-branch.');
  });
});

describe('The workflow of a release', () => {
  interface Workflow {
    readonly jobs: Record<string, { readonly steps: readonly { readonly run?: string }[] }>;
  }
  const { jobs } = parse(readFileSync(new URL('.github/workflows/release.yml', root), 'utf8')) as Workflow;
  // GitHub sets the variable of an absent secret to ''.
  const absent = { PACT_BROKER_TOKEN: '', PACT_BROKER_USERNAME: '', PACT_BROKER_PASSWORD: '' };
  const token = { ...absent, PACT_BROKER_TOKEN: TOKEN };
  const user = { ...absent, PACT_BROKER_USERNAME: 'user', PACT_BROKER_PASSWORD: 'secret' };

  describe.each(['can-i-deploy', 'record-release'])('runs %s', (job) => {
    it.each<[string, Variables, string]>([
      ['a token', token, `Bearer ${TOKEN}`],
      ['a user', user, `Basic ${btoa('user:secret')}`],
    ])('with the credentials of %s', async (_, credentials, authorization) => {
      broker.holds([], { authorization });
      const command = jobs[job]!.steps.at(-1)!.run!.replaceAll(/npx .+ exec /g, 'node_modules/.bin/');
      const variables = { PACT_BROKER_BASE_URL: broker.url, GITHUB_SHA: 'abc123', ...credentials };
      const env = { PATH: process.env['PATH'], ...variables };
      const exitCode = await new Promise((resolve) => {
        const options = { env, cwd: fileURLToPath(root), timeout: 30_000 };
        const child = execFile('bash', ['-e', '-c', command], options, () => resolve(child.exitCode));
      });
      expect(exitCode).toBe(0);
      expect(broker.asked.at(-1)!.path).toMatch(/abc123/);
    });
  });
});
