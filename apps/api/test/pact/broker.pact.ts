import { StandInBroker } from './stand-in-broker.js';
import { type Interaction, type Pact, pactOf, runProgram, verifyContract, verifyFrom } from './verify-contract.js';

const pact = pactOf('examples/front-desk/pacts/front-desk-bookings-service.json');
const events = pactOf('examples/front-desk/pacts/front-desk-bookings-service-events.json');
const withFirst = (members: Partial<Interaction>): Pact => ({
  ...pact,
  interactions: [{ ...pact.interactions[0]!, ...members }],
});
const broken = withFirst({ response: { status: 418 } });
const unknownState = withFirst({ providerStates: [{ name: 'the moon is full' }] });

const PUBLISH = ['--publish', '--provider-version', 'abc123', '--provider-branch', 'feat/new'];
const ON_BRANCH = ['--provider-branch', 'main'];

let broker: StandInBroker;
afterEach(() => broker.stop());

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
    broker = await StandInBroker.start([pact, events]);
    expect(await verifyFrom(broker, ON_BRANCH)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        '\nPact between front-desk (1.0.0) and bookings-service: kept\n' +
          'Pact between front-desk (1.1.0) and bookings-service-events: kept\n' +
          'Nothing was published: see --publish.\n',
      ),
    });
    const { asked, published: written } = broker;
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
    broker = await StandInBroker.start([pact, events]);
    const { code, stdout } = await verifyFrom(broker, PUBLISH);
    expect(stdout).toMatch(
      /^Of http:\S+, these matter to branch feat\/new:\n- Pact between front-desk .+\n- .+\n\nThis pact is of the main branch\n/,
    );
    expect(stdout).toMatch(/\nPublished for version abc123 of branch feat\/new\.\n$/);
    expect(code).toBe(0);
    expect(broker.published).toEqual([
      ...both,
      result(0, 'bookings-service', true),
      result(1, 'bookings-service-events', true),
    ]);
  });

  it('are broken, and published as failed, if one is', async () => {
    broker = await StandInBroker.start([broken, pact]);
    const { code, stdout } = await verifyFrom(broker, PUBLISH, {}, runProgram);
    expect(stdout).toContain('expected 418 but was 201');
    expect(stdout).toContain('(1.0.0) and bookings-service: broken\n');
    expect(stdout).toContain('(1.1.0) and bookings-service: kept\n');
    expect(code).toBe(1);
    expect(broker.published).toEqual([
      ...both,
      result(0, 'bookings-service', false),
      result(1, 'bookings-service', true),
    ]);
  });

  it.each<[string, Pact, string]>([
    ['broken', broken, 'broken'],
    ['in an unknown state', unknownState, 'not verified: There is no state "the moon is full".'],
  ])('break nothing while they are pending and %s', async (_, given, verdict) => {
    broker = await StandInBroker.start([given], { pending: true });
    const { code, stdout } = await verifyFrom(broker, PUBLISH);
    expect(stdout).toContain(`Pact between front-desk (1.0.0) and bookings-service, which is pending: ${verdict}`);
    expect(code).toBe(0);
    expect(broker.published).toEqual([...both, result(0, 'bookings-service', false)]);
  });

  it('are not verified in an unknown state, which is published as no success', async () => {
    broker = await StandInBroker.start([unknownState]);
    const { code, stdout } = await verifyFrom(broker, PUBLISH);
    expect(stdout).toContain('bookings-service: not verified: There is no state "the moon is full".');
    expect(code).toBe(2);
    expect(broker.published).toEqual([...both, result(0, 'bookings-service', false)]);
  });

  it('are read with a user name and a password', async () => {
    const authorization = `Basic ${Buffer.from('ada:pass:word').toString('base64')}`;
    broker = await StandInBroker.start([events], { authorization });
    const variables = { PACT_BROKER_TOKEN: '', PACT_BROKER_USERNAME: 'ada', PACT_BROKER_PASSWORD: 'pass:word' };
    expect(await verifyFrom(broker, ON_BRANCH, variables)).toMatchObject({ code: 0 });
  });
});

describe('One pact', () => {
  it.each<[string, Pact, number, boolean]>([
    ['kept', pact, 0, true],
    ['broken', broken, 1, false],
  ])('by its URL is verified and published: %s', async (_, given, code, success) => {
    broker = await StandInBroker.start([events, given]);
    expect(await verifyFrom(broker, [broker.pactUrl(1), ...PUBLISH])).toMatchObject({ code });
    expect(broker.published).toEqual([registered('bookings-service'), result(1, 'bookings-service', success)]);
  });

  it('by its URL needs no other variable', async () => {
    broker = await StandInBroker.start([events], { authorization: undefined });
    const { code } = await verifyContract([broker.pactUrl(0)]);
    expect(code).toBe(0);
  });

  it('of another host gets no credentials', async () => {
    broker = await StandInBroker.start([events]);
    const { code, stderr } = await verifyFrom(broker, [broker.pactUrl(0)], {
      PACT_BROKER_BASE_URL: 'https://broker.example',
    });
    expect(stderr).toMatch(/^http:\S+ is not the broker of PACT_BROKER_BASE_URL, https:\/\/broker\.example\.\n/);
    expect(code).toBe(2);
    expect(broker.asked).toEqual([]);
  });
});
