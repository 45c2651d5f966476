import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StandInBroker } from './stand-in-broker.js';
import { type Interaction, type Pact, pactOf, type Ran, verifyContract } from './verify-contract.js';

const pact = pactOf('examples/front-desk/pacts/front-desk-bookings-service.json');
const events = pactOf('examples/front-desk/pacts/front-desk-bookings-service-events.json');
const withFirst = (members: Partial<Interaction>): Pact => ({
  ...pact,
  interactions: [{ ...pact.interactions[0]!, ...members }],
});
const broken = withFirst({ response: { status: 418 } });
const unknownState = withFirst({ providerStates: [{ name: 'the moon is full' }] });

const examples = fileURLToPath(new URL('../../../../examples', import.meta.url));

const TOKEN = 'a-secret-token';
const bearer = { authorization: `Bearer ${TOKEN}` };
const PUBLISH = ['--publish', '--provider-version', 'abc123', '--provider-branch', 'feat/new'];
const NOT_VERIFIED = 'The contract was not verified, or its result not published.\n';
const ON_BRANCH = ['--provider-branch', 'main'];

let broker: StandInBroker | undefined;
afterEach(async () => {
  await broker?.stop();
  broker = undefined;
});

type Settings = Parameters<typeof StandInBroker.start>[1];

async function startBroker(pacts: Pact[], settings: Settings = bearer): Promise<StandInBroker> {
  broker = await StandInBroker.start(pacts, settings);
  return broker;
}

async function run(args: string[], more: Record<string, string> = {}, cwd?: string): Promise<Ran> {
  const env = { PACT_BROKER_BASE_URL: broker!.url, PACT_BROKER_TOKEN: TOKEN, ...more };
  const ran = await verifyContract(args, env, cwd);
  expect(ran.stdout + ran.stderr).not.toContain(TOKEN);
  return ran;
}

const registered = (provider: string): object => ({
  method: 'PUT',
  path: `/pacticipants/${provider}/branches/feat%2Fnew/versions/abc123`,
  body: {},
});
const both = [registered('bookings-service'), registered('bookings-service-events')];
const result = (index: number, provider: string, success: boolean): object => ({
  method: 'POST',
  path: `/pacts/provider/${provider}/consumer/front-desk/pact-version/${index}/verification-results`,
  body: { success, providerApplicationVersion: 'abc123' },
});

describe('The pacts of a broker', () => {
  it('are those that matter to the branch, and nothing is published unasked', async () => {
    await startBroker([pact, events]);
    expect(await run(ON_BRANCH)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        '\nPact between front-desk (1.0.0) and bookings-service: kept\n' +
          'Pact between front-desk (1.1.0) and bookings-service-events: kept\n' +
          'Nothing was published: see --publish.\n',
      ),
    });
    const { asked, published: written } = broker!;
    expect(written).toEqual([]);
    const selections = asked.filter(({ path }) => path.endsWith('/for-verification'));
    expect(selections.map(({ path }) => path)).toEqual([
      '/pacts/provider/bookings-service/for-verification',
      '/pacts/provider/bookings-service-events/for-verification',
    ]);
    const { includeWipPactsSince, ...selection } = selections[0]!.body as { includeWipPactsSince: string };
    expect(selection).toEqual({
      consumerVersionSelectors: [{ mainBranch: true }, { matchingBranch: true }, { deployedOrReleased: true }],
      includePendingStatus: true,
      providerVersionBranch: 'main',
    });
    const days = (Date.now() - Date.parse(includeWipPactsSince)) / 86_400_000;
    expect(Math.floor(days)).toBe(90);
  });

  it('are published with --publish, under version and branch', async () => {
    await startBroker([pact, events]);
    const { code, stdout } = await run(PUBLISH);
    expect(stdout).toMatch(/^This pact is of the main branch\n/);
    expect(stdout).toMatch(/\nPublished for version abc123 of branch feat\/new\.\n$/);
    expect(code).toBe(0);
    expect(broker!.published).toEqual([
      ...both,
      result(0, 'bookings-service', true),
      result(1, 'bookings-service-events', true),
    ]);
  });

  it('are broken, and published as failed, if one is', async () => {
    await startBroker([broken, pact]);
    const { code, stdout } = await run(PUBLISH);
    expect(stdout).toContain('expected 418 but was 201');
    expect(stdout).toContain('(1.0.0) and bookings-service: broken\n');
    expect(stdout).toContain('(1.1.0) and bookings-service: kept\n');
    expect(code).toBe(1);
    expect(broker!.published).toEqual([
      ...both,
      result(0, 'bookings-service', false),
      result(1, 'bookings-service', true),
    ]);
  });

  it.each<[string, Pact, string]>([
    ['broken', broken, 'broken'],
    ['in an unknown state', unknownState, 'not verified: There is no state "the moon is full".'],
  ])('break nothing while they are pending and %s', async (_, given, verdict) => {
    await startBroker([given], { ...bearer, pending: true });
    const { code, stdout } = await run(PUBLISH);
    expect(stdout).toContain(`Pact between front-desk (1.0.0) and bookings-service, which is pending: ${verdict}`);
    expect(code).toBe(0);
    expect(broker!.published).toEqual([...both, result(0, 'bookings-service', false)]);
  });

  it('are not verified, and no success, with an unknown state', async () => {
    await startBroker([unknownState]);
    const { code, stdout } = await run(PUBLISH);
    expect(stdout).toContain('bookings-service: not verified: There is no state "the moon is full".');
    expect(code).toBe(2);
    expect(broker!.published).toEqual([...both, result(0, 'bookings-service', false)]);
  });

  it('are read with a user name and a password', async () => {
    const authorization = `Basic ${Buffer.from('ada:pass:word').toString('base64')}`;
    await startBroker([events], { authorization });
    const variables = { PACT_BROKER_TOKEN: '', PACT_BROKER_USERNAME: 'ada', PACT_BROKER_PASSWORD: 'pass:word' };
    expect(await run(ON_BRANCH, variables)).toMatchObject({ code: 0 });
  });
});

describe('One pact', () => {
  it.each<[string, Pact, number, boolean]>([
    ['kept', pact, 0, true],
    ['broken', broken, 1, false],
  ])('by its URL is verified and published: %s', async (_, given, code, success) => {
    await startBroker([events, given]);
    expect(await run([broker!.pactUrl(1), ...PUBLISH])).toMatchObject({ code });
    expect(broker!.published).toEqual([registered('bookings-service'), result(1, 'bookings-service', success)]);
  });

  it('by its URL needs no other variable', async () => {
    await startBroker([events], {});
    const { code } = await verifyContract([broker!.pactUrl(0)]);
    expect(code).toBe(0);
  });

  it('of another host gets no credentials', async () => {
    await startBroker([events]);
    const { code, stderr } = await run([broker!.pactUrl(0)], { PACT_BROKER_BASE_URL: 'https://broker.example' });
    expect(stderr).toMatch(/^http:\S+ is not the broker of PACT_BROKER_BASE_URL, https:\/\/broker\.example\.\n/);
    expect(code).toBe(2);
    expect(broker!.asked).toEqual([]);
  });
});

describe('A result', () => {
  const post = 'POST .+/verification-results';
  const put = 'PUT .+/branches/';

  it.each<[string, Record<string, number | object>, RegExp]>([
    ['that the broker does not take', { [post]: 500 }, /^POST http:\S+\/verification-results is answered with 500\.\n/],
    [
      'that the token may not write',
      { [post]: 403 },
      /^POST http:\S+ is answered with 403\. Set PACT_BROKER_TOKEN, or /,
    ],
    ['whose version the broker does not take', { [put]: 500 }, /^PUT http:\S+ is answered with 500\.\n/],
    [
      'for which the pact has no link',
      { 'GET .+/pact-version/': { ...pact, _links: {} } },
      /^http:\S+ has no link pb:publish-verification-results, as a Pact Broker has\.\n/,
    ],
  ])('%s is an error', async (_, instead, text) => {
    await startBroker([pact], { ...bearer, instead });
    const { code, stderr } = await run(PUBLISH);
    expect(stderr).toMatch(text);
    expect(stderr).toMatch(/\nThe contract was not verified, or its result not published\.\n$/);
    expect(code).toBe(2);
  });
});

describe('The scripts of front-desk', () => {
  async function npmRun(...args: string[]): Promise<number | null> {
    const env = { PATH: process.env['PATH'], PACT_BROKER_BASE_URL: broker!.url, PACT_BROKER_TOKEN: TOKEN };
    return new Promise((resolve) => {
      const child = execFile('npm', ['run', ...args], { env, cwd: examples }, () => resolve(child.exitCode));
    });
  }

  it('publish its contracts, under the commit and the branch', async () => {
    await startBroker([]);
    expect(await npmRun('pact:publish')).toBe(0);
    const bodies = broker!.asked.filter(({ method }) => method === 'POST').map(({ body }) => body);
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
    await startBroker([], { ...bearer, deployable });
    expect(await npmRun('can-i-deploy', 'abc123')).toBe(code);
    const { searchParams } = new URL(broker!.asked.at(-1)!.path, broker!.url);
    expect(searchParams.get('q[][version]')).toBe('abc123');
    expect(searchParams.get('environment')).toBe('production');
  });
});

describe('The version and the branch', () => {
  const folder = mkdtempSync(join(tmpdir(), 'checkout-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();

  it('are those of git, or what the pipeline names where the checkout has no branch', async () => {
    git('init', '--quiet', '--initial-branch', 'topic');
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
    git(...author, 'commit', '--quiet', '--allow-empty', '--message', 'first');
    await startBroker([events]);
    const variables = { GITHUB_HEAD_REF: '', GITHUB_REF_NAME: '7/merge', CI_COMMIT_REF_NAME: 'gitlab' };
    await run(['--publish'], variables, folder);
    git('checkout', '--quiet', '--detach');
    await run(['--publish'], variables, folder);
    await run(['--publish'], { ...variables, GITHUB_HEAD_REF: 'feature' }, folder);
    await run(['--publish'], { CI_COMMIT_REF_NAME: 'gitlab', CI_JOB_URL: 'https://ci.example/7' }, folder);
    const version = git('rev-parse', 'HEAD');
    const pathOf = (name: string) => `/pacticipants/bookings-service-events/branches/${name}/versions/${version}`;
    const paths = broker!.published.map(({ path }) => path).filter((path) => path.includes('service-events/branches/'));
    expect(paths).toEqual(['topic', '7%2Fmerge', 'feature', 'gitlab'].map(pathOf));
    expect(broker!.published.at(-1)!.body).toEqual({
      success: true,
      providerApplicationVersion: version,
      buildUrl: 'https://ci.example/7',
    });
  });

  it('are asked for where neither is known', async () => {
    await startBroker([events]);
    const nowhere = mkdtempSync(join(tmpdir(), 'nowhere-'));
    for (const [args, text] of [
      [['--publish', '--provider-branch', 'main'], 'There is no commit here: give --provider-version.'],
      [[], 'The branch is not known here: give --provider-branch.'],
    ] as const) {
      expect(await run([...args], {}, nowhere)).toMatchObject({ code: 2, stderr: expect.stringContaining(text) });
    }
    rmSync(nowhere, { recursive: true });
  });
});

describe('A broker', () => {
  const listed = 'POST .+/for-verification';
  const html = '<html>Sign in</html>';

  it.each<[string, Pact[], Settings, RegExp]>([
    [
      'refuses the token',
      [pact],
      { authorization: 'Bearer another' },
      /^GET http:\S+ is answered with 401\. Set PACT_/,
    ],
    ['has no pact of the service', [], bearer, /^http:\S+ has no pact of bookings-service or .+ Publish one first/],
    [
      'has none that matters',
      [pact],
      { ...bearer, instead: { [listed]: { _embedded: { pacts: [] } } } },
      / has no pact /,
    ],
    ['answers HTML', [pact], { ...bearer, instead: { 'GET /$': html } }, /^http:\S+ is answered with text\/html, not /],
    ['lists something else', [pact], { ...bearer, instead: { [listed]: {} } }, /^http:\S+ does not list pacts as /],
    ['is none', [pact], { ...bearer, instead: { 'GET /$': {} } }, /^http:\S+ has no link pb:provider-pacts-for-/],
    ['fails', [pact], { ...bearer, instead: { [listed]: 500 } }, /^POST http:\S+ is answered with 500\.\n/],
    [
      'lists a pact of another provider',
      [pact],
      { ...bearer, instead: { 'pact-version/0$': { ...pact, provider: { name: 'payments' } } } },
      /^http:\S+ is a pact of the provider "payments", not of bookings-service\.\n/,
    ],
    ['has a pact that is none', [pact], { ...bearer, instead: { 'pact-version/0$': {} } }, /^http:\S+ is no pact\.\n/],
  ])('that %s leaves the contracts unverified', async (_, pacts, settings, text) => {
    await startBroker(pacts, settings);
    const { code, stderr, stdout } = await run([...ON_BRANCH, '--publish', '--provider-version', '1']);
    expect(stderr).toMatch(text);
    expect(stderr).toMatch(/\nThe contract was not verified, or its result not published\.\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(broker!.published).toEqual([]);
  });

  it('that is away leaves the contracts unverified', async () => {
    const { url } = await startBroker([]);
    await broker!.stop();
    const ran = await verifyContract(ON_BRANCH, { PACT_BROKER_BASE_URL: url });
    broker = undefined;
    expect(ran).toMatchObject({
      code: 2,
      stderr: `${url} cannot be reached: ECONNREFUSED.\n${NOT_VERIFIED}`,
    });
  });

  it.each<[string, Record<string, string>]>([
    ['a token that no header can carry', { PACT_BROKER_TOKEN: `${TOKEN}\nmore` }],
    ['credentials in its URL', { PACT_BROKER_BASE_URL: `http://ada:${TOKEN}@127.0.0.1:9` }],
    ['a base URL that is none', { PACT_BROKER_BASE_URL: `ada:${TOKEN}@localhost` }],
  ])('whose variables hold %s is not asked, and the secret is not printed', async (_, variables) => {
    await startBroker([pact]);
    expect(await run(ON_BRANCH, variables)).toMatchObject({ code: 2 });
    expect(broker!.asked).toEqual([]);
  });
});
