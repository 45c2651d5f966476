import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from 'testing';
import { parse } from 'yaml';
import { broken, events, free, moon, noSuchState, pact } from './pacts.js';
import { type Pact as BrokersPact, type Settings, StandInBroker, TOKEN } from './stand-in-broker.js';
import {
  expectNotVerified,
  type Pact,
  type Ran,
  root,
  runProgram,
  type Variables,
  verifyContract,
} from './verify-contract.js';

const broker = await StandInBroker.start();
/** Where nothing of the broker belongs. */
const elsewhere = await StandInBroker.start();
afterAll(() => Promise.all([broker.stop(), elsewhere.stop()]));

/** Runs the command with the variables of the broker. Its output never contains the token. */
async function verifyFrom(args: string[], given: Variables = {}): Promise<Ran> {
  const ran = await verifyContract(args, { PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_TOKEN: TOKEN, ...given });
  expect(ran.stdout + ran.stderr).not.toContain(TOKEN);
  return ran;
}

const ON_BRANCH = ['--provider-branch', 'main'];
const PUBLISH = ['--publish', '--provider-version', 'abc123', '--provider-branch', 'feat/new'];

const onlyFree = { ...pact, interactions: [free] };
const onlyBroken = { ...pact, interactions: [broken] };
const onlyMoon = { ...pact, interactions: [moon] };
const oneEvent = { ...events, interactions: events.interactions.slice(0, 1) };
const brokenEvent = { ...events, interactions: [{ ...events.interactions[0]!, providerStates: [] }] };

const registered = (provider: string): [string] => [`/pacticipants/${provider}/branches/feat%2Fnew/versions/abc123`];
const result = (index: number, { provider }: Pact, success: boolean): [string, boolean] => [
  `/pacts/provider/${provider.name}/consumer/front-desk/pact-version/${index}/verification-results`,
  success,
];

describe('The pacts of a broker', () => {
  it('are those that matter to the branch, and nothing is published unasked', async () => {
    broker.holds([onlyFree, oneEvent]);
    expect(await verifyFrom(ON_BRANCH)).toEqual({
      code: 0,
      stdout:
        `From ${broker.url}:\n` +
        '- Pact between front-desk (1.0.0) and bookings-service\n' +
        '- Pact between front-desk (1.1.0) and bookings-service-events\n' +
        'Nothing was published: see --publish.\n' +
        'The service keeps the contract.\n',
      stderr: '',
    });
    expect(broker.published).toEqual([]);
    const selections = broker.asked.filter(({ method }) => method === 'POST');
    expect(selections.map(({ path }) => path)).toEqual([
      '/pacts/provider/bookings-service/for-verification',
      '/pacts/provider/bookings-service-events/for-verification',
    ]);
    for (const { body } of selections) {
      const { includeWipPactsSince, ...selection } = body as { includeWipPactsSince: string };
      expect(selection).toEqual({
        consumerVersionSelectors: [{ mainBranch: true }, { matchingBranch: true }, { deployedOrReleased: true }],
        includePendingStatus: true,
        providerVersionBranch: 'main',
      });
      const days = (Date.now() - Date.parse(includeWipPactsSince)) / 86_400_000;
      expect(Math.floor(days)).toBe(90);
    }
  });

  it('are published with --publish, under version and branch', async () => {
    broker.holds([onlyFree, oneEvent]);
    const { code, stdout } = await verifyFrom(PUBLISH);
    expect(stdout).toContain('\nPublished for version abc123 of branch feat/new.\n');
    expect(code).toBe(0);
    expect(broker.published).toEqual([
      registered('bookings-service'),
      result(0, pact, true),
      registered('bookings-service-events'),
      result(1, events, true),
    ]);
  });

  it('are broken, and published as failed, if one is; a provider without pacts gets its version', async () => {
    broker.holds([onlyBroken, onlyFree]);
    const { code, stdout } = await verifyFrom(PUBLISH);
    expect(stdout).toMatch(/\nThe service breaks the contract\.\n$/);
    expect(code).toBe(1);
    expect(broker.published).toEqual([
      registered('bookings-service'),
      result(0, pact, false),
      registered('bookings-service'),
      result(1, pact, true),
      registered('bookings-service-events'),
    ]);
  });

  it.each<[string, Pact[]]>([
    ['responses', [onlyBroken, oneEvent]],
    ['events', [onlyFree, brokenEvent]],
  ])('are broken if only those of %s are', async (_, given) => {
    broker.holds(given);
    expect(await verifyFrom(ON_BRANCH)).toMatchObject({ code: 1 });
  });

  it.each<[string, Pact]>([
    ['broken', onlyBroken],
    ['in an unknown state', onlyMoon],
  ])('break nothing while they are pending and %s', async (_, given) => {
    broker.holds([given], { pending: true });
    const { code, stdout } = await verifyFrom(PUBLISH);
    expect(stdout).toContain('\n- Pact between front-desk (1.0.0) and bookings-service, which is pending\n');
    expect(stdout).toContain(
      '\nPact between front-desk (1.0.0) and bookings-service is pending, so it breaks nothing.\n',
    );
    expect(code).toBe(0);
    expect(broker.published).toContainEqual(result(0, pact, false));
  });

  it('are not verified in an unknown state, which is published as no success; the others are', async () => {
    // The status would hold by chance.
    broker.holds([{ ...pact, interactions: [{ ...moon, response: { status: 201 } }] } as Pact, onlyFree]);
    expectNotVerified(await verifyFrom(PUBLISH), noSuchState);
    expect(broker.published).toEqual(expect.arrayContaining([result(0, pact, false), result(1, pact, true)]));
  });

  it('of events may name one description for several types', async () => {
    const typed = (contentType: string) => {
      const event = { ...oneEvent.interactions[0]!, metadata: { contentType } };
      return { ...oneEvent, interactions: [event] };
    };
    broker.holds([typed('application/json'), typed('application/cloudevents+json')]);
    expect(await verifyFrom(PUBLISH)).toMatchObject({ code: 1 });
    expect(broker.published).toEqual(expect.arrayContaining([result(0, events, false), result(1, events, true)]));
  });

  it('are verified by the program, whose output has no token', async () => {
    broker.holds([onlyFree], { instead: { 'POST .+/verification-results$': 500 } });
    const variables = { PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_TOKEN: TOKEN };
    const { code, stdout, stderr } = await runProgram(PUBLISH, variables);
    expect(stdout + stderr).toContain('the broker has no new result of version abc123');
    expect(stdout + stderr).not.toContain(TOKEN);
    expect(code).toBe(2);
  });

  it('are read with a user name and a password', async () => {
    const authorization = `Basic ${Buffer.from('ada:pass:word').toString('base64')}`;
    broker.holds([oneEvent], { authorization });
    const variables = { PACT_BROKER_TOKEN: '', PACT_BROKER_USERNAME: 'ada', PACT_BROKER_PASSWORD: 'pass:word' };
    expect(await verifyFrom(ON_BRANCH, variables)).toMatchObject({ code: 0 });
  });
});

describe('One pact', () => {
  it.each<[string, Pact, number, boolean]>([
    ['kept', onlyFree, 0, true],
    ['broken', onlyBroken, 1, false],
    ['kept but for what is pending', { ...pact, interactions: [free, { ...broken, pending: true }] }, 0, false],
  ])('by its URL is verified and published: %s', async (_, given, code, success) => {
    broker.holds([oneEvent, given]);
    expect(await verifyFrom([broker.pactUrl(1), ...PUBLISH])).toMatchObject({ code });
    expect(broker.published).toEqual([registered('bookings-service'), result(1, pact, success)]);
  });

  it('by its URL needs no other variable', async () => {
    broker.holds([oneEvent], { authorization: undefined });
    expect(await verifyContract([broker.pactUrl(0)])).toMatchObject({ code: 0 });
  });
});

describe('A result', () => {
  const post = 'POST .+/verification-results$';
  const put = 'PUT .+/branches/';
  const noResult =
    /^Pact between front-desk \(1\.0\.0\) and bookings-service: the broker has no new result of version abc123/;
  const noLaterResult = /^Pact between front-desk \(1\.2\.0\) and bookings-service: the broker has no new result/;

  it.each<[string, BrokersPact[], Settings['instead'] & object, RegExp]>([
    ['that the broker does not take', [onlyFree, oneEvent], { [post]: 500 }, noResult],
    ['of a later pact that it does not take', [oneEvent, onlyBroken, onlyFree], { 'POST .+/2/': 500 }, noLaterResult],
    ['whose version the broker does not take', [onlyFree, oneEvent], { [put]: 500 }, noResult],
    ['of another version', [onlyFree], { 'GET .+/latest$': { providerApplicationVersion: 'another' } }, noResult],
    [
      'in whose place an earlier one of this version stays',
      [onlyFree],
      { 'GET .+/latest$': { providerApplicationVersion: 'abc123', _links: { self: { href: '/results/1' } } } },
      noResult,
    ],
    [
      'for which the pact has no link',
      [onlyFree],
      { 'GET .+/pact-version/0$': { ...onlyFree, _links: {} } },
      /^http:\S+ has no link pb:latest-verification-results, as a Pact Broker has\.\n/,
    ],
    [
      'of a provider without pacts that the token may not write',
      [onlyFree],
      { 'PUT .+-events/branches/': 403 },
      /^PUT http:\S+ responded with 403\. Check PACT_BROKER_TOKEN, or /,
    ],
  ])('%s is an error', async (_, pacts, instead, text) => {
    broker.holds(pacts, { instead });
    expectNotVerified(await verifyFrom(PUBLISH), text);
  });
});

describe('A broker', () => {
  const listed = 'POST .+/for-verification';
  const html = '<html>Sign in</html>';

  it.each<[string, Pact[], Settings, RegExp]>([
    [
      'refuses the token',
      [onlyFree],
      { authorization: 'Bearer another' },
      /^GET http:\S+ responded with 401\. Check PACT_/,
    ],
    ['has no pact of the service', [], {}, /^http:\S+ has no pact of bookings-service or .+ Publish one first/],
    ['has no pact that matters', [onlyFree], { instead: { [listed]: { _embedded: { pacts: [] } } } }, / has no pact /],
    ['answers HTML', [onlyFree], { instead: { 'GET /$': html } }, /^http:\S+ responded with text\/html, not /],
    ['lists something else', [onlyFree], { instead: { [listed]: {} } }, /^http:\S+ does not list pacts as /],
    ['fails', [onlyFree], { instead: { [listed]: 500 } }, /^POST http:\S+ responded with 500\.\n/],
    ['has something other than a pact', [onlyFree], { instead: { 'pact-version/0$': {} } }, /^http:\S+ cannot be /],
  ])('that %s leaves the contracts unverified', async (_, pacts, settings, text) => {
    broker.holds(pacts, settings);
    const ran = await verifyFrom(PUBLISH);
    expectNotVerified(ran, text);
    expect([ran.stdout, broker.published]).toEqual(['', []]);
  });

  it('that is away leaves the contracts unverified', async () => {
    const away = await StandInBroker.start();
    const { url } = away;
    await away.stop();
    expectNotVerified(
      await verifyFrom(ON_BRANCH, { PACT_BROKER_BASE_URL: url }),
      `${url} cannot be reached: ECONNREFUSED.`,
    );
  });

  it('of which one pact is named with credentials is not asked, and the secret is not printed', async () => {
    broker.holds([onlyFree]);
    const ran = await verifyFrom([broker.pactUrl(0).replace('//', `//ada:${TOKEN}@`)]);
    expectNotVerified(ran, 'Leave credentials out of URLs: set PACT_BROKER_TOKEN.');
    expect(broker.asked).toEqual([]);
  });

  it.each<[string, Variables]>([
    ['a token that no header can carry', { PACT_BROKER_TOKEN: `${TOKEN}\nmore` }],
    ['credentials in its URL', { PACT_BROKER_BASE_URL: `http://ada:${TOKEN}@127.0.0.1:9` }],
    ['a base URL that cannot be parsed', { PACT_BROKER_BASE_URL: `ada:${TOKEN}@localhost` }],
    ['a user without a password', { PACT_BROKER_TOKEN: '', PACT_BROKER_USERNAME: 'ada' }],
  ])('whose variables hold %s is not asked, and the secret is not printed', async (_, variables) => {
    broker.holds([onlyFree]);
    const { code, stderr } = await verifyFrom(ON_BRANCH, variables);
    expect(code).toBe(2);
    expect(stderr.split('\n')).toHaveLength(3);
    expect(broker.asked).toEqual([]);
  });
});

describe('The token', () => {
  const to = (path: string): object => ({ href: elsewhere.url + path, templated: true });
  const listed = '/pacts/provider/{provider}/for-verification';
  const aPact = '/pacts/provider/bookings-service/consumer/front-desk/pact-version/0';
  const links = { 'pb:provider': to('/pacticipants/bookings-service') };

  it.each<[string, Settings['instead'] & object, string[]]>([
    ['the index redirects', { 'GET /$': new URL(elsewhere.url) }, []],
    ['the index links', { 'GET /$': { _links: { 'pb:provider-pacts-for-verification': to(listed) } } }, []],
    ['the list links', { 'POST .+/for-verification': { _embedded: { pacts: [{ _links: { self: to(aPact) } }] } } }, []],
    ['the pact links', { 'GET .+/pact-version/0$': { ...onlyFree, _links: links } }, []],
    ['the pact is', {}, [elsewhere.url + aPact]],
  ])('stays with the broker if %s elsewhere, and nothing is verified', async (_, instead, urls) => {
    elsewhere.holds([onlyFree], { authorization: undefined });
    broker.holds([onlyFree], { instead });
    const ran = await verifyFrom([...urls, ...PUBLISH]);
    expectNotVerified(ran, ` is at ${elsewhere.url}, not at the broker, ${broker.url}.\n`);
    expect([ran.stdout, broker.published]).toEqual(['', []]);
    expect(elsewhere.asked.map(({ authorization }) => authorization).filter(Boolean)).toEqual([]);
  });

  it('stays with the broker if the place for results redirects elsewhere, and nothing is published', async () => {
    elsewhere.holds([onlyFree], { authorization: undefined });
    broker.holds([onlyFree], { instead: { 'POST .+/verification-results$': new URL(elsewhere.url) } });
    expect(await verifyFrom(PUBLISH)).toMatchObject({ code: 2 });
    expect(elsewhere.asked).toMatchObject([{ method: 'POST', authorization: undefined }]);
  });
});

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
