import { StandInBroker, type Settings, TOKEN } from './stand-in-broker.js';
import { type Pact, pactOf, verifyContract, verifyFrom } from './verify-contract.js';

const pact = pactOf('examples/front-desk/pacts/front-desk-bookings-service.json');
const PUBLISH = ['--publish', '--provider-version', 'abc123', '--provider-branch', 'feat/new'];
const ON_BRANCH = ['--provider-branch', 'main'];

let broker: StandInBroker;
afterEach(() => broker.stop());

describe('A result', () => {
  const post = 'POST .+/verification-results';
  const put = 'PUT .+/branches/';

  it.each<[string, Record<string, number | object>, RegExp]>([
    ['that the broker does not take', { [post]: 500 }, /^POST http:\S+\/verification-results responded with 500\.\n/],
    [
      'that the token may not write',
      { [post]: 403 },
      /^POST http:\S+ responded with 403\. Check PACT_BROKER_TOKEN, or /,
    ],
    ['whose version the broker does not take', { [put]: 500 }, /^PUT http:\S+ responded with 500\.\n/],
    [
      'for which the pact has no link',
      { 'GET .+/pact-version/': { ...pact, _links: {} } },
      /^http:\S+ has no link pb:publish-verification-results, as a Pact Broker has\.\n/,
    ],
  ])('%s is an error', async (_, instead, text) => {
    broker = await StandInBroker.start([pact], { instead });
    const { code, stderr } = await verifyFrom(broker, PUBLISH);
    expect(stderr).toMatch(text);
    expect(stderr).toMatch(/\nNot every result was published\.\n$/);
    expect(code).toBe(2);
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
      /^GET http:\S+ responded with 401\. Check PACT_/,
    ],
    ['has no pact of the service', [], {}, /^http:\S+ has no pact of bookings-service or .+ Publish one first/],
    ['has no pact that matters', [pact], { instead: { [listed]: { _embedded: { pacts: [] } } } }, / has no pact /],
    ['answers HTML', [pact], { instead: { 'GET /$': html } }, /^http:\S+ responded with text\/html, not /],
    ['lists something else', [pact], { instead: { [listed]: {} } }, /^http:\S+ does not list pacts as /],
    ['is no Pact Broker', [pact], { instead: { 'GET /$': {} } }, /^http:\S+ has no link pb:provider-pacts-for-/],
    ['fails', [pact], { instead: { [listed]: 500 } }, /^POST http:\S+ responded with 500\.\n/],
    [
      'lists a pact of another provider',
      [pact],
      { instead: { 'pact-version/0$': { ...pact, provider: { name: 'payments' } } } },
      /^http:\S+ is a pact of the provider "payments", not of bookings-service\.\n/,
    ],
    [
      'responds with something other than a pact',
      [pact],
      { instead: { 'pact-version/0$': {} } },
      /^http:\S+ is not a pact\.\n/,
    ],
  ])('that %s leaves the contracts unverified', async (_, pacts, settings, text) => {
    broker = await StandInBroker.start(pacts, settings);
    const { code, stderr, stdout } = await verifyFrom(broker, [...ON_BRANCH, '--publish', '--provider-version', '1']);
    expect(stderr).toMatch(text);
    expect(stderr).toMatch(/\nThe contract was not verified\.\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(broker.published).toEqual([]);
  });

  it('that is away leaves the contracts unverified', async () => {
    broker = await StandInBroker.start([pact]);
    const { url } = broker;
    await broker.stop();
    const { code, stderr } = await verifyContract(ON_BRANCH, { PACT_BROKER_BASE_URL: url });
    expect(stderr).toBe(`${url} cannot be reached: ECONNREFUSED.\nThe contract was not verified.\n`);
    expect(code).toBe(2);
  });

  it.each<[string, Record<string, string>]>([
    ['a token that no header can carry', { PACT_BROKER_TOKEN: `${TOKEN}\nmore` }],
    ['credentials in its URL', { PACT_BROKER_BASE_URL: `http://ada:${TOKEN}@127.0.0.1:9` }],
    ['a base URL that cannot be parsed', { PACT_BROKER_BASE_URL: `ada:${TOKEN}@localhost` }],
  ])('whose variables hold %s is not asked, and the secret is not printed', async (_, variables) => {
    broker = await StandInBroker.start([pact]);
    expect(await verifyFrom(broker, ON_BRANCH, variables)).toMatchObject({ code: 2 });
    expect(broker.asked).toEqual([]);
  });
});
