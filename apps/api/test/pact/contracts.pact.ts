import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from 'testing';
import { ServiceUnderContract } from 'tools/verify-contract';
import { type Interaction, pactOf, runProgram, serviceOfTests, verifyContract } from './verify-contract.js';

/** The consumers of this repository. Turbo runs their tests before, which write their contracts into `pacts`. */
const consumers = ['packages/client', 'examples/front-desk'];

const contracts = consumers.flatMap((consumer) => {
  const folder = new URL(`../../../../${consumer}/pacts/`, import.meta.url);
  return readdirSync(folder).map((name) => fileURLToPath(new URL(name, folder)));
});

const verify = async (document: unknown): Promise<boolean> => (await serviceOfTests()).keeps(document);

describe('The contracts of the consumers', () => {
  it('are two of each consumer', () => {
    expect(contracts).toHaveLength(2 * consumers.length);
  });

  it.each(contracts)('are kept by the service: %s', async (path) => {
    expect(await verify(JSON.parse(readFileSync(path, 'utf8')))).toBe(true);
  });
});

const pact = pactOf('examples/front-desk/pacts/front-desk-bookings-service.json');
const free = pact.interactions.find(({ description }) => description === 'a form for a room that is free')!;
const taken = pact.interactions.find(({ description }) => description === 'a form for a room that is taken')!;
const broken = { ...free, response: { status: 418 } };
const { providerStates: _, ...stateless } = free;
const inState = (name: string, params?: object): Interaction => ({
  ...free,
  providerStates: [{ name, ...(params && { params }) }],
});

describe('A contract', () => {
  it.each<[string, object[], boolean]>([
    ['whose broken interaction is pending is kept', [taken, { ...broken, pending: true }], true],
    ['that names no state asks for an empty service', [taken, stateless], true],
  ])('%s', async (_, interactions, expected) => {
    expect(await verify({ ...pact, interactions })).toBe(expected);
  });

  it('is broken, and not left unverified, by a service that creates with 200', async () => {
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(CREATES_WITH_200)}`];
    const service = await ServiceUnderContract.start(flags);
    expect(await service.keeps({ ...pact, interactions: [free, taken] })).toBe(false);
    await service.stop();
  });

  const bookings = 'these bookings exist';
  const noSuchState =
    'There is no state "the moon is full". ' +
    'The states are: no bookings exist, these bookings exist, these bookings were deleted.';
  const unmade = 'Only 0 of 1 states could be set up: see above.';

  it.each<[string, object, string]>([
    ['an unknown state', { interactions: [inState('the moon is full')] }, noSuchState],
    [
      'unknown parameters',
      { interactions: [inState(bookings, { bookings: [{ payload: {}, idempotencyKey: 'a' }] })] },
      unmade,
    ],
    [
      'a booking that is rejected',
      { interactions: [inState(bookings, { bookings: [{ payload: { slot: {} } }] })] },
      unmade,
    ],
    [
      'two states',
      { interactions: [{ ...free, providerStates: [...free.providerStates!, ...taken.providerStates!] }] },
      '✖ An interaction can name one state, not several\n  → at interactions[0].providerStates',
    ],
    ['no interactions', { interactions: [] }, '✖ There is no interaction\n  → at interactions'],
    [
      'an unknown provider',
      { provider: { name: 'bookings' } },
      '✖ Invalid option: expected one of "bookings-service"|"bookings-service-events"\n  → at provider.name',
    ],
  ])('is not verified with %s', async (_, members, fault) => {
    await expect(verify({ ...pact, ...members })).rejects.toThrow(fault);
  });
});

const CREATES_WITH_200 = `
  import { ServerResponse } from 'node:http';
  const { writeHead } = ServerResponse.prototype;
  ServerResponse.prototype.writeHead = function (status, ...more) {
    return writeHead.call(this, status === 201 ? 200 : status, ...more);
  };`;

const events = pactOf('examples/front-desk/pacts/front-desk-bookings-service-events.json');
const cloudEvent = 'application/cloudevents+json';

describe('A contract of events', () => {
  const [created] = events.interactions;
  const verifyEvent = (members: object) => verify({ ...events, interactions: [{ ...created, ...members }] });

  it.each<[string, string, boolean]>([
    ['the type that the service sends is kept', cloudEvent, true],
    ['another type is broken', 'text/plain', false],
  ])('that pins %s', async (_, contentType, expected) => {
    expect(await verifyEvent({ metadata: { contentType } })).toBe(expected);
  });

  it('can expect contents of the type that the service sends', async () => {
    const contents = { content: { type: 'bookings.booking.created' }, contentType: cloudEvent, encoded: false };
    expect(await verifyEvent({ contents, matchingRules: {} })).toBe(true);
  });
});

const folder = temporaryFolder();

function fileOf(content: string): string {
  const path = join(folder, 'contract.json');
  writeFileSync(path, content);
  return path;
}

describe('pnpm verify-contract', () => {
  /** Pact's verifier would read them: all interactions of the file are verified nevertheless, and nothing else. */
  const variables = {
    PACT_DESCRIPTION: 'another',
    PACT_PROVIDER_STATE: 'another',
    PACT_PROVIDER_NO_STATE: 'true',
    PACT_BROKER_BASE_URL: 'http://127.0.0.1:9',
    PACT_BROKER_PUBLISH_VERIFICATION_RESULTS: 'true',
  };
  const noEvent = { ...events, interactions: [{ ...events.interactions[0], providerStates: [] }] };

  it.each<[string, object, RegExp]>([
    ['another status', { ...pact, interactions: [free, broken] }, /expected 418 but was 201/],
    ['an event that cannot come', noEvent, /Actual map is missing the following keys: data, type/],
  ])('says that a contract is broken by %s', async (_, content, text) => {
    const { code, stdout } = await runProgram([fileOf(JSON.stringify(content))], variables);
    expect(stdout).toMatch(text);
    expect(stdout).toMatch(/The service breaks the contract\.\n$/);
    expect(code).toBe(1);
  });

  it('says that a contract is kept', async () => {
    const path = fileOf(JSON.stringify({ ...pact, interactions: [free, taken] }));
    expect(await verifyContract([path])).toMatchObject({ code: 0, stdout: 'The service keeps the contract.\n' });
  });

  it('does not verify a file that is not JSON', async () => {
    const { stderr, ...ran } = await runProgram([fileOf('<html>')], {});
    expect(stderr).toMatch(/^\S+contract\.json is not JSON\.\nThe contract was not verified\.\n$/);
    expect(ran).toEqual({ code: 2, stdout: '' });
  });

  it.each<[string, string[], RegExp]>([
    ['nothing to verify', [], /^Give a FILE or a URL, or set PACT_BROKER_BASE_URL\.\n/],
    ['two files', ['a.json', 'b.json'], /^Give one FILE or URL\.\n/],
    ['an unknown option', ['--verbose'], /^Unknown option '--verbose'\.\n/],
    ['a file whose result is to be published', ['a.json', '--publish'], /^The result of a FILE cannot be published/],
  ])('explains its usage to %s', async (_, args, text) => {
    const { code, stderr } = await verifyContract(args);
    expect(stderr).toMatch(text);
    expect(stderr).toContain('\n  pnpm verify-contract FILE ');
    expect(code).toBe(2);
  });

  it('prints its usage', async () => {
    expect(await verifyContract(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('--publish') });
  });
});
