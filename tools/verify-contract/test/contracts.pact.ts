import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from 'testing';
import { broken, events, free, inState, moon, noSuchState, pact, taken } from './pacts.js';
import { expectNotVerified, type Ran, root, runProgram, verifyContract } from './verify-contract.js';

/** The consumers of this repository. Turbo runs their tests before, which write their contracts into `pacts`. */
const consumers = ['packages/client', 'examples/front-desk'];

const contracts = consumers.flatMap((consumer) => {
  const folder = new URL(`${consumer}/pacts/`, root);
  return readdirSync(folder).map((name) => fileURLToPath(new URL(name, folder)));
});

const folder = temporaryFolder();

function fileOf(content: string | object): string {
  const path = join(folder, 'contract.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const verify = (document: object): Promise<Ran> => verifyContract([fileOf(document)]);

describe('The contracts of the consumers', () => {
  it('are two of each consumer', () => {
    expect(contracts).toHaveLength(2 * consumers.length);
  });

  it.each(contracts)('are kept by the service: %s', async (path) => {
    const kept = { code: 0, stdout: 'The service keeps the contract.\n', stderr: '' };
    expect(await verifyContract([path])).toEqual(kept);
  });
});

const { providerStates: _, ...stateless } = free;
const bookings = 'these bookings exist';

const request = {
  description: 'a list',
  request: { method: 'GET', path: '/v1/bookings' },
  response: { status: 200 },
};

describe('A contract', () => {
  it.each<[string, object[], number]>([
    ['whose broken interaction is pending is kept', [taken, { ...broken, pending: true }], 0],
    ['whose unknown state is pending is kept', [taken, { ...moon, pending: true }], 0],
    ['that is broken beside a pending unknown state is broken', [broken, { ...moon, pending: true }], 1],
    ['that names no state asks for an empty service', [taken, stateless], 0],
    ['that expects another status is broken', [free, broken], 1],
  ])('%s', async (_, interactions, code) => {
    expect(await verify({ ...pact, interactions })).toMatchObject({ code });
  });

  it.each<[string, object, string]>([
    ['an unknown state', { interactions: [free, moon] }, noSuchState],
    [
      'unknown parameters',
      { interactions: [inState({ name: bookings, params: { bookings: [{ payload: {}, idempotencyKey: 'a' }] } })] },
      'The parameters of the state are wrong:\n✖ Unrecognized key: "idempotencyKey"\n  → at bookings[0]',
    ],
    [
      'a booking that is rejected',
      { interactions: [inState({ name: bookings, params: { bookings: [{ payload: { slot: {} } }] } })] },
      'The service rejects the booking {"slot":{}} of the state: {',
    ],
    [
      'an unknown state of version 2',
      {
        interactions: [{ ...request, providerState: 'the moon is full' }],
        metadata: { pactSpecification: { version: '2.0.0' } },
      },
      noSuchState,
    ],
    [
      'two states',
      { interactions: [inState({ name: 'no bookings exist' }, ...taken.providerStates!)] },
      'An interaction can name one state, not several.',
    ],
    ['no interactions', { interactions: [] }, '0 of 0 interactions were verified'],
    [
      'an unknown provider',
      { provider: { name: 'bookings' } },
      '✖ Invalid option: expected one of "bookings-service"|"bookings-service-events"\n  → at provider.name',
    ],
  ])('is not verified with %s', async (_, members, fault) => {
    const ran = await verify({ ...pact, ...members });
    expectNotVerified(ran, fault);
    expect(ran.stdout).toBe('');
  });
});

const cloudEvent = 'application/cloudevents+json';

describe('A contract of events', () => {
  const [created] = events.interactions;
  const verifyEvent = (members: object) => verify({ ...events, interactions: [{ ...created, ...members }] });

  it.each<[string, object, number]>([
    ['that pins the type that the service sends is kept', { metadata: { contentType: cloudEvent } }, 0],
    ['that pins another type is broken', { metadata: { contentType: 'text/plain' } }, 1],
    ['of an event that cannot come is broken', { providerStates: [] }, 1],
    [
      'can expect contents of the type that the service sends',
      {
        contents: { content: { type: 'bookings.booking.created' }, contentType: cloudEvent, encoded: false },
        matchingRules: {},
      },
      0,
    ],
  ])('%s', async (_, members, code) => {
    expect(await verifyEvent(members)).toMatchObject({ code });
  });

  it('with one description in two states is kept, whatever type each pins', async () => {
    const typed = { ...created, metadata: { contentType: cloudEvent } };
    const providerStates = [{ ...created!.providerStates![0], name: 'these bookings were deleted' }];
    const contents = { content: { type: 'bookings.booking.deleted' }, contentType: 'application/json', encoded: false };
    const deleted = { ...created, providerStates, contents, matchingRules: {} };
    expect(await verify({ ...events, interactions: [typed, deleted] })).toMatchObject({ code: 0 });
  });

  it.each<[string, string, number]>([
    ['kept', 'bookings.booking.created', 0],
    ['broken', 'bookings.booking.moved', 1],
  ])('of version 3 can be %s', async (_, type, code) => {
    const { description, providerStates } = created!;
    const messages = [
      { description, providerStates, contents: { type }, metaData: { contentType: 'application/json' } },
    ];
    const { consumer, provider } = events;
    const metadata = { pactSpecification: { version: '3.0.0' } };
    expect(await verify({ consumer, provider, messages, metadata })).toMatchObject({ code });
  });
});

describe('pnpm verify-contract', () => {
  it('verifies all of a file whatever the variables of Pact say', async () => {
    const { code, stdout } = await runProgram([fileOf({ ...pact, interactions: [free, broken] })], {
      PACT_DESCRIPTION: 'another',
      PACT_PROVIDER_STATE: 'another',
      PACT_PROVIDER_NO_STATE: 'true',
      PACT_BROKER_BASE_URL: 'http://127.0.0.1:9',
      PACT_BROKER_PUBLISH_VERIFICATION_RESULTS: 'true',
    });
    expect(stdout).toMatch(/expected 418 but was 201/);
    expect(stdout).toMatch(/The service breaks the contract\.\n$/);
    expect(code).toBe(1);
  });

  it('finds a file from the folder in which pnpm was called', async () => {
    fileOf({ ...pact, interactions: [free] });
    expect(await verifyContract(['contract.json'], { INIT_CWD: folder })).toMatchObject({ code: 0 });
  });

  it('does not verify a file that is not JSON', async () => {
    expectNotVerified(await verifyContract([fileOf('<html>')]), /^\S+contract\.json is not JSON\.\n/);
  });

  it.each<[string, string[], RegExp]>([
    ['nothing to verify', [], /^Give a FILE or a URL, or set PACT_BROKER_BASE_URL\.\n/],
    ['two files', ['a.json', 'b.json'], /^Give one FILE or URL\.\n/],
    ['an unknown option', ['--verbose'], /^Unknown option '--verbose'/],
    ['a file whose result is to be published', ['a.json', '--publish'], /^The result of a FILE cannot be published/],
  ])('says what is wrong with %s', async (_, args, text) => {
    expectNotVerified(await verifyContract(args), text);
  });

  it('prints its usage', async () => {
    expect(await verifyContract(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('--publish') });
  });
});
