import { type Settings, StandInBroker, TOKEN } from './stand-in-broker.js';
import { expectNotVerified, type Pact, type Variables } from './verify-contract.js';
import { broker, ON_BRANCH, onlyFree, PUBLISH, verifyFrom } from './verify-from.js';

/** Where nothing of the broker belongs. */
const elsewhere = await StandInBroker.start();
afterAll(() => elsewhere.stop());

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
