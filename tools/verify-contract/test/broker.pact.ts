import { broken, events, free, moon, noSuchState, pact } from './pacts.js';
import { type Pact as BrokersPact, type Settings, TOKEN } from './stand-in-broker.js';
import { expectNotVerified, type Pact, runProgram, verifyContract } from './verify-contract.js';
import { broker, ON_BRANCH, oneEvent, onlyBroken, onlyFree, PUBLISH, verifyFrom } from './verify-from.js';

const onlyMoon = { ...pact, interactions: [moon] };
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
