import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from 'testing';
import { StandInBroker, TOKEN } from './stand-in-broker.js';
import { pactOf, verifyFrom } from './verify-contract.js';

const events = pactOf('examples/front-desk/pacts/front-desk-bookings-service-events.json');
const examples = fileURLToPath(new URL('../../../../examples', import.meta.url));

let broker: StandInBroker;
afterEach(() => broker.stop());

describe('The version and the branch', () => {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const folder = process.cwd();
  beforeEach(() => process.chdir(temporaryFolder()));
  afterEach(() => process.chdir(folder));

  it('are those of git, or what the pipeline names where the checkout has no branch', async () => {
    git('init', '--quiet', '--initial-branch', 'topic');
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
    git(...author, 'commit', '--quiet', '--allow-empty', '--message', 'first');
    broker = await StandInBroker.start([events]);
    const variables = { GITHUB_HEAD_REF: '', GITHUB_REF_NAME: '7/merge', CI_COMMIT_REF_NAME: 'gitlab' };
    await verifyFrom(broker, ['--publish'], variables);
    git('checkout', '--quiet', '--detach');
    await verifyFrom(broker, ['--publish'], variables);
    await verifyFrom(broker, ['--publish'], { ...variables, GITHUB_HEAD_REF: 'feature' });
    const ofGitLab = { CI_COMMIT_REF_NAME: 'gitlab', CI_JOB_URL: 'https://ci.example/7' };
    await verifyFrom(broker, ['--publish'], ofGitLab);
    const version = git('rev-parse', 'HEAD');
    const pathOf = (name: string) => `/pacticipants/bookings-service-events/branches/${name}/versions/${version}`;
    const paths = broker.published.map(({ path }) => path).filter((path) => path.includes('service-events/branches/'));
    expect(paths).toEqual(['topic', '7%2Fmerge', 'feature', 'gitlab'].map(pathOf));
    expect(broker.published.at(-1)!.body).toEqual({
      success: true,
      providerApplicationVersion: version,
      buildUrl: 'https://ci.example/7',
    });
  });

  it('are asked for where neither is known', async () => {
    broker = await StandInBroker.start([events]);
    const commitOf = await verifyFrom(broker, ['--publish', '--provider-branch', 'main']);
    expect(commitOf.stderr).toContain('There is no commit here: give --provider-version.');
    const branchOf = await verifyFrom(broker, []);
    expect(branchOf.stderr).toContain('The branch is not known here: give --provider-branch.');
    expect([commitOf.code, branchOf.code]).toEqual([2, 2]);
  });
});

describe('The scripts of front-desk', () => {
  async function npmRun(...args: string[]): Promise<number | null> {
    const env = { PATH: process.env['PATH'], PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_TOKEN: TOKEN };
    return new Promise((resolve) => {
      const child = execFile('npm', ['run', ...args], { env, cwd: examples }, () => resolve(child.exitCode));
    });
  }

  it('publish its contracts, under the commit of git', async () => {
    broker = await StandInBroker.start([]);
    expect(await npmRun('pact:publish')).toBe(0);
    const bodies = broker.asked.filter(({ method }) => method === 'POST').map(({ body }) => body);
    const names = bodies.flatMap((body) => (body as { contracts: object[] }).contracts);
    expect(names).toHaveLength(2);
    const version = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    for (const body of bodies) {
      expect(body).toMatchObject({ pacticipantName: 'front-desk', pacticipantVersionNumber: version });
    }
  });

  it.each([
    ['may', true, 0],
    ['may not', false, 1],
  ])('say whether a version %s be deployed to production', async (_, deployable, code) => {
    broker = await StandInBroker.start([], { deployable });
    expect(await npmRun('can-i-deploy', 'abc123')).toBe(code);
    const { searchParams } = new URL(broker.asked.at(-1)!.path, broker.url);
    expect(searchParams.get('q[][version]')).toBe('abc123');
    expect(searchParams.get('environment')).toBe('production');
  });
});
