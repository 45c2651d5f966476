import { readFileSync } from 'node:fs';
import { BookingsProvider } from './bookings-provider.js';
import { FakeBroker, type Offer, type Pact } from './fake-broker.js';
import { localPactsOf } from './local-pacts.js';
import { pactSource } from './pact-source.js';
import { changing, without } from './sabotage.js';
import { BROKEN, verify } from './verify.js';

const frontDesk = JSON.parse(readFileSync(localPactsOf('examples/front-desk')[0]!, 'utf8')) as Pact;
const withoutLink = changing(({ headers, body }) => ({ headers: without('Link', headers), body }));
const anActionsRun = {
  GITHUB_SERVER_URL: 'https://github.example',
  GITHUB_REPOSITORY: 'rooms/booking-service',
  GITHUB_RUN_ID: '17',
};
const buildUrl = 'https://github.example/rooms/booking-service/actions/runs/17';
const results = '/results/front-desk';

let broker: FakeBroker;

async function offering(...offers: Offer[]): Promise<void> {
  broker = await FakeBroker.start(...offers);
}

afterEach(() => broker.stop());

const inCi = { CI: 'true', TEST_STORE: 'postgres', GIT_COMMIT: '4b1d0c', GIT_BRANCH: 'feat/rooms' };

function verifyFromBroker(env: Record<string, string>, provider = new BookingsProvider()): Promise<string> {
  return verify(provider, pactSource({ PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_TOKEN: 'a-token', ...env }, []));
}

describe('A verification from a broker', () => {
  it('requests what consumers have on main, deployed, released and on the same branch, and pending ones', async () => {
    await offering({ pact: frontDesk });
    await verifyFromBroker(inCi);
    expect(broker.sent('/for-verification/bookings-service').map(({ body }) => body)).toEqual([
      {
        consumerVersionSelectors: [{ mainBranch: true }, { deployedOrReleased: true }, { matchingBranch: true }],
        providerVersionBranch: 'feat/rooms',
        includePendingStatus: true,
        includeWipPactsSince: '2026-01-01',
      },
    ]);
    expect(new Set(broker.requests.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer a-token']));
  });

  it('publishes its result for the commit, and the commit on its branch', async () => {
    await offering({ pact: frontDesk });
    await verifyFromBroker({ ...inCi, ...anActionsRun });
    expect(broker.sent(results).map(({ body }) => body)).toEqual([
      expect.objectContaining({ success: true, providerApplicationVersion: '4b1d0c', buildUrl }),
    ]);
    expect(broker.sent('/pacticipants/bookings-service/branches/feat%2Frooms/versions/4b1d0c')).toHaveLength(1);
  });

  it('fails for a broken contract, and publishes that', async () => {
    await offering({ pact: frontDesk });
    await expect(verifyFromBroker(inCi, new BookingsProvider({ middleware: withoutLink }))).rejects.toThrow(BROKEN);
    expect(broker.sent(results).map(({ body }) => body)).toEqual([expect.objectContaining({ success: false })]);
  });

  it('does not fail for a broken contract that is pending, and publishes that it is broken', async () => {
    await offering({ pact: frontDesk, pending: true });
    await expect(verifyFromBroker(inCi, new BookingsProvider({ middleware: withoutLink }))).resolves.toBeDefined();
    expect(broker.sent(results).map(({ body }) => body)).toEqual([expect.objectContaining({ success: false })]);
  });

  it.each([
    ['it does not know', { name: 'the moon is full' }],
    ['whose parameters are wrong', { name: 'these bookings exist', params: { bookings: [] } }],
  ])('fails for a state %s', async (_, state) => {
    const [interaction] = frontDesk.interactions;
    await offering({ pact: { ...frontDesk, interactions: [{ ...interaction!, providerStates: [state] }] } });
    await expect(verifyFromBroker(inCi)).rejects.toThrow(BROKEN);
    expect(broker.sent(results).map(({ body }) => JSON.stringify(body))).toEqual([
      expect.stringContaining('setup state change handlers has failed'),
    ]);
  });

  it('publishes nothing outside CI', async () => {
    await offering({ pact: frontDesk });
    await verifyFromBroker({ ...inCi, CI: '' });
    expect(broker.sent(results)).toEqual([]);
  });

  it('verifies the one contract that a webhook names, and publishes the result', async () => {
    await offering({ pact: frontDesk }, { pact: { ...frontDesk, consumer: { name: 'another' } } });
    await verifyFromBroker({ ...inCi, PACT_URL: broker.pactUrl('front-desk') });
    expect(broker.sent('/for-verification/bookings-service')).toEqual([]);
    expect(broker.sent('/results/another')).toEqual([]);
    expect(broker.sent(results).map(({ body }) => body)).toEqual([
      expect.objectContaining({ success: true, providerApplicationVersion: '4b1d0c' }),
    ]);
  });
});
